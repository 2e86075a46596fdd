import { z } from "zod";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { parseRememberedName } from "#app/domain/username/login-name.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { usernameCookie } from "./cookies.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { openSealedCookie } from "./sealed-cookie.server.ts";

const contentSchema = z.object({
  username: z.string(),
  userId: z.string(),
  browserHash: z.string(),
  /** Time of the sign-in, in seconds since 1970. */
  at: z.number(),
});

/** The user name, or e-mail address, as it was typed at the last sign-in with a password in this browser. */
export type RememberedUsername = { username: string; userId: string };

type Deps = Pick<LoadContext, "config" | "secrets" | "clock" | "browser">;

/**
 * Returns the headers that make this browser remember a user name, after a complete sign-in
 * (docs/decisions/060-remembered-user-names.md). Returns none if names are not remembered, or `typed` is null.
 */
export async function rememberUsername(
  context: Deps,
  { typed, userId }: { typed: string | null; userId: string },
): Promise<[name: string, value: string][]> {
  const { config, secrets, clock, browser } = context;
  const username = typed === null ? null : parseRememberedName(typed);
  if (username === null || config.usernameRememberDays === 0) return [];
  const at = Math.floor(clock.now().getTime() / 1000);
  const content: z.infer<typeof contentSchema> = { username, userId, browserHash: hashToken(browser), at };
  const sealed = await secrets.seal("username-cookie", JSON.stringify(content));
  return [["Set-Cookie", usernameCookie(config.usernameRememberDays * DAY_SECONDS).keep(config, sealed)]];
}

/** Returns the header that makes this browser forget the remembered user name. */
export function forgetUsername({ config }: Pick<Deps, "config">): [name: string, value: string][] {
  return [["Set-Cookie", usernameCookie().clear(config)]];
}

/**
 * Returns the remembered user name from the cookies of a request. Null if there is none, if the cookie was issued to
 * another browser or not by us, and if USERNAME_REMEMBER_DAYS have passed. Does not read the database, so that it does
 * not depend on the user's state.
 */
export async function findRememberedUsername(context: Deps, request: Request): Promise<RememberedUsername | null> {
  const { config, secrets, clock, browser } = context;
  const cookie = usernameCookie().read(config, request.headers.get("cookie"));
  const content = await openSealedCookie(secrets, { purpose: "username-cookie", schema: contentSchema, cookie });
  if (content?.browserHash !== hashToken(browser)) return null;
  const ageSeconds = clock.now().getTime() / 1000 - content.at;
  if (ageSeconds >= config.usernameRememberDays * DAY_SECONDS) return null;
  return { username: content.username, userId: content.userId };
}
