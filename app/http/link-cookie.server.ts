import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

const MAX_AGE_SECONDS = 60 * 60;

/** Format of `random.token()`: 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Returns true if the text has the format of a link token; only such a value may be set as a cookie. */
export function isLinkToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Cookie for the token of a mailed link, which keeps the token out of URLs, history and Referer. */
export type LinkCookie = {
  set(site: Site, token: string): string;
  clear(site: Site): string;
  /** Returns the token of this browser; "" if missing. */
  read(site: Site, request: Request): string;
};

/** Cookie for factor-reset links. */
export const factorResetCookie = linkCookie("mfa_reset");

/** Cookie for links that stop a factor reset. */
export const factorResetStopCookie = linkCookie("mfa_reset_stop");

function linkCookie(name: string): LinkCookie {
  return {
    set: (site, token) => hostCookie(site, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS }),
    clear: (site) => hostCookie(site, { name, value: "", maxAgeSeconds: 0 }),
    read: (site, request) => readHostCookie(site, request.headers.get("cookie"), name) ?? "",
  };
}
