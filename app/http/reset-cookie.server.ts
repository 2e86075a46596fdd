import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

const NAME = "reset";
const MAX_AGE_SECONDS = 60 * 60;

/** Format of `random.token()`: 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Returns true if the text has the format of a link token; only such a value may be set as a cookie. */
export function isResetToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Moves the token of a mailed link to a cookie, which keeps it out of URLs, history and Referer. */
export function setResetToken(site: Site, token: string): string {
  return hostCookie(site, { name: NAME, value: token, maxAgeSeconds: MAX_AGE_SECONDS });
}

export function clearResetToken(site: Site): string {
  return hostCookie(site, { name: NAME, value: "", maxAgeSeconds: 0 });
}

/** Returns the token of this browser; "" if missing. */
export function readResetToken(site: Site, request: Request): string {
  return readHostCookie(site, request.headers.get("cookie"), NAME) ?? "";
}
