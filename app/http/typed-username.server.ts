import { z } from "zod";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { parseRememberedName } from "#app/domain/username/login-name.ts";
import { uidOf } from "#app/oidc/seal.server.ts";
import { typedUsernameCookie } from "./cookies.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { openSealedCookie } from "./sealed-cookie.server.ts";

const contentSchema = z.object({ username: z.string(), uid: z.string(), browserHash: z.string() });

type Deps = Pick<LoadContext, "config" | "secrets" | "browser">;

/**
 * Returns the headers with which this browser keeps a user name for the other pages of the same sign-in, so that a
 * redirect to them needs no user name in its URL (docs/decisions/072-typed-name-after-a-redirect.md). Returns none
 * without a name or a sign-in.
 */
export async function keepTypedUsername(
  { config, secrets, browser }: Deps,
  { username: typed, challenge }: { username: string; challenge: string },
): Promise<[name: string, value: string][]> {
  const username = parseRememberedName(typed) ?? "";
  if (username === "" || challenge === "") return [];
  const content: z.infer<typeof contentSchema> = { username, uid: uidOf(challenge), browserHash: hashToken(browser) };
  const sealed = await secrets.seal("typed-username", JSON.stringify(content));
  return [["Set-Cookie", typedUsernameCookie.keep(config, sealed)]];
}

/** Returns the header that makes this browser forget the kept user name. */
export function dropTypedUsername({ config }: Pick<Deps, "config">): [name: string, value: string][] {
  return [["Set-Cookie", typedUsernameCookie.clear(config)]];
}

/** Returns the user name that this browser keeps for a sign-in; "" without one. */
export async function findTypedUsername(
  { config, secrets, browser }: Deps,
  request: Request,
  challenge: string,
): Promise<string> {
  const cookie = typedUsernameCookie.read(config, request.headers.get("cookie"));
  const content = await openSealedCookie(secrets, { purpose: "typed-username", schema: contentSchema, cookie });
  if (content?.uid !== uidOf(challenge) || content.browserHash !== hashToken(browser)) return "";
  return content.username;
}
