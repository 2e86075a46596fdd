import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

const NAME = "reset";
const MAX_AGE_SECONDS = 60 * 60;

/** What `random.token()` makes: 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Whether this can be the token of a link at all; nothing else may stand in a cookie. */
export function isResetToken(text: string): boolean {
  return TOKEN.test(text);
}

/**
 * Keeps the token of a link from its first address on, so that it stands in no address after it: not in the history, not
 * in a Referer.
 */
export function keepResetToken(site: Site, token: string): string {
  return hostCookie(site, { name: NAME, value: token, maxAgeSeconds: MAX_AGE_SECONDS });
}

export function forgetResetToken(site: Site): string {
  return hostCookie(site, { name: NAME, value: "", maxAgeSeconds: 0 });
}

/** The token that this browser keeps; "" without one. */
export function readResetToken(site: Site, request: Request): string {
  return readHostCookie(site, request.headers.get("cookie"), NAME) ?? "";
}
