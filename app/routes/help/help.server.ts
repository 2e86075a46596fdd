import { findHelpOfBearer, type Help } from "#app/domain/help-link/help.server.ts";
import { helpCookie } from "#app/http/cookies.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";

/** The page for help that cannot be used. */
export const INVALID_URL = "/help/status?status=error-token";

/** Guard of the pages for help: they exist only with the pages of the administration, where help is given. */
export function requireHelpPages({ config }: Pick<LoadContext, "config">): void {
  if (!config.adminPages) throw refusal(404, "page_not_found");
}

/** Returns the value of the cookie with which this browser may use help; "" if it has none. */
export function bearerOfRequest({ config }: Pick<LoadContext, "config">, request: Request): string {
  return helpCookie.read(config, request.headers.get("cookie"));
}

/**
 * Returns the help that this browser may use, of this kind.
 * @throws a redirect to the form for the words without any, to INVALID_URL if it cannot be used (any more)
 */
export async function requireHelp(context: LoadContext, request: Request, kind: Help["kind"]): Promise<Help> {
  requireHelpPages(context);
  const bearer = bearerOfRequest(context, request);
  if (bearer === "") throw redirect303("/help");
  const help = await findHelpOfBearer(context, bearer);
  if (help?.kind !== kind) throw redirect303(INVALID_URL, { "Set-Cookie": helpCookie.clear(context.config) });
  return help;
}

/** Returns the page on which help of this kind is used. */
export function helpUrl({ kind }: Pick<Help, "kind">): string {
  return `/help/${kind}`;
}
