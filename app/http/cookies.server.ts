import { parse, serialize } from "cookie";
import type { Config } from "#app/config/config.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";

type Site = Pick<Config, "issuer">;

/** Maximum lifetime that browsers accept (RFC 6265bis §5.5). */
export const LONGEST_COOKIE_SECONDS = 400 * DAY_SECONDS;

/** Format of `random.token()`: 32 bytes as base64url. */
const TOKEN = /^[\w-]{43}$/;

/** A cookie of this host only, hidden from scripts. */
export type HostCookie = {
  /** Returns the cookie's name. */
  name(site: Site): string;
  /** Returns the `Set-Cookie` header that stores the value. */
  keep(site: Site, value: string): string;
  /** Returns the `Set-Cookie` header that removes the cookie. */
  clear(site: Site): string;
  /** Returns the value from a `Cookie` header; "" if missing. */
  read(site: Site, header: string | null | undefined): string;
};

/** Cookie that identifies a browser. */
export const browserCookie = hostCookie("browser", LONGEST_COOKIE_SECONDS);

/** Cookie with the token of a user's remembered device: each user of a browser has one. `maxAge` is in seconds. */
export function deviceCookie(userId: string, maxAge = 0): HostCookie {
  return hostCookie(`device_${hashToken(userId).slice(0, 16)}`, maxAge);
}

/** Cookie with the user name that the sign-in page shows, sealed. `maxAge` is in seconds. */
export function usernameCookie(maxAge = 0): HostCookie {
  return hostCookie("username", maxAge);
}

/** Cookie with the user name that the pages of one sign-in show after a redirect, sealed. */
export const typedUsernameCookie = hostCookie("typed_username", HOUR_SECONDS);

/** Cookie of a browser whose script reported a device that can keep a passkey; the value is `yes`. */
export const passkeyDeviceCookie = hostCookie("passkey_device", 30 * MINUTE_SECONDS);

/** Cookie with the token of this browser's page session of the settings. */
export const settingsCookie = hostCookie("settings", 30 * MINUTE_SECONDS);

/** Cookie with the token of a confirmation to open the settings. */
export const settingsConfirmCookie = hostCookie("settings_confirm", 10 * MINUTE_SECONDS);

// The token of a mailed link is kept in a cookie, out of URLs, history and Referer.

export const passwordResetCookie = hostCookie("reset", HOUR_SECONDS);

export const factorResetCookie = hostCookie("mfa_reset", HOUR_SECONDS);

/** Cookie for links that stop a factor reset. */
export const factorResetStopCookie = hostCookie("mfa_reset_stop", HOUR_SECONDS);

/** Cookie for the help of the administration: the token of its link, or the proof that its words were typed. */
export const helpCookie = hostCookie("help", HOUR_SECONDS);

/** Cookie for links of notices that end all access. */
export const notMeCookie = hostCookie("not_me", HOUR_SECONDS);

/** Cookie for links that confirm a new e-mail address. */
export const emailChangeCookie = hostCookie("email_change", HOUR_SECONDS);

/** Cookie for links that restore the e-mail address before a change. */
export const emailUndoCookie = hostCookie("email_undo", HOUR_SECONDS);

/** Returns true if the text has the format of our tokens. Check untrusted text before it is kept in a cookie. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Returns true if the issuer uses https, even if a proxy terminates TLS. */
export function isHttps({ issuer }: Site): boolean {
  return issuer.startsWith("https:");
}

function hostCookie(plainName: string, maxAge: number): HostCookie {
  // On https the prefix makes browsers reject the cookie from subdomains and over http.
  const name = (site: Site) => (isHttps(site) ? `__Host-gatehouse_${plainName}` : `gatehouse_${plainName}`);
  const attributes = (site: Site) => ({ path: "/", httpOnly: true, sameSite: "lax", secure: isHttps(site) }) as const;
  return {
    name,
    keep: (site, value) => serialize(name(site), value, { ...attributes(site), maxAge }),
    clear: (site) => serialize(name(site), "", { ...attributes(site), maxAge: 0 }),
    read: (site, header) => parse(header ?? "")[name(site)] ?? "",
  };
}
