import { type HostCookie, isToken } from "./cookies.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { redirect303 } from "./reply.server.ts";

/** A page that mails link to. */
type MailedLink = {
  /** The query parameter that contains the token. */
  parameter: string;
  /** Contains the token while the page is open. */
  cookie: HostCookie;
  /** Returns the URL of the page that a valid link opens; null if the link is invalid, used or expired. */
  urlOf(token: string): Promise<string | null>;
  /** The page for a link that is not valid. */
  invalidUrl: string;
};

/**
 * Returns the token of a mailed link that was opened in this browser; "" if none was. A GET consumes no link, because
 * mail scanners open links too.
 * @throws a redirect that moves the token from the URL, which browsers store and send as Referer, to a cookie
 */
export async function readMailedToken(
  { config }: Pick<LoadContext, "config">,
  request: Request,
  { parameter, cookie, urlOf, invalidUrl }: MailedLink,
): Promise<string> {
  const token = new URL(request.url).searchParams.get(parameter);
  if (token === null) return cookie.read(config, request.headers.get("cookie"));
  const url = isToken(token) ? await urlOf(token) : null;
  if (url === null) throw redirect303(invalidUrl);
  throw redirect303(url, { "Set-Cookie": cookie.keep(config, token) });
}
