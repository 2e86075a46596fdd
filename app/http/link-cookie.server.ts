import type { Config } from "#app/config/config.ts";
import { hostCookie, readHostCookie } from "./cookies.server.ts";

type Site = Pick<Config, "issuer">;

const MAX_AGE_SECONDS = 60 * 60;

/** What `random.token()` makes: 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** Whether this can be the token of a link at all; nothing else may stand in a cookie. */
export function isLinkToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Where the token of one kind of link is kept from its first address on: in no history, in no Referer. */
export type LinkCookie = {
  keep(site: Site, token: string): string;
  forget(site: Site): string;
  /** The token that this browser keeps; "" without one. */
  read(site: Site, request: Request): string;
};

/** For links that remove all second factors. */
export const factorResetCookie = linkCookie("mfa_reset");

/** For links that stop it. */
export const factorResetStopCookie = linkCookie("mfa_reset_stop");

function linkCookie(name: string): LinkCookie {
  return {
    keep: (site, token) => hostCookie(site, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS }),
    forget: (site) => hostCookie(site, { name, value: "", maxAgeSeconds: 0 }),
    read: (site, request) => readHostCookie(site, request.headers.get("cookie"), name) ?? "",
  };
}
