import type { Config } from "#app/config/config.ts";

type Site = Pick<Config, "issuer">;

/** Browsers keep no cookie longer than this (RFC 6265bis section 5.5). */
export const LONGEST_COOKIE_SECONDS = 400 * 24 * 60 * 60;

/** Whether this installation is reached over https, whoever ends the TLS. */
export function isHttps({ issuer }: Site): boolean {
  return issuer.startsWith("https:");
}

/** Our cookie's name. On https its prefix makes browsers refuse it from subdomains and over http. */
export function cookieName(site: Site, name: string): string {
  return isHttps(site) ? `__Host-gatehouse_${name}` : `gatehouse_${name}`;
}

/**
 * A `Set-Cookie` header for this browser and this host only, out of reach of scripts. `value` must be base64url:
 * nothing is encoded. 0 seconds removes the cookie.
 */
export function hostCookie(site: Site, cookie: { name: string; value: string; maxAgeSeconds: number }): string {
  const { name, value, maxAgeSeconds } = cookie;
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${cookieName(site, name)}=${value}; ${attributes}${isHttps(site) ? "; Secure" : ""}`;
}

/** The value of one of our cookies in a `Cookie` header, null without it; unchecked, as the browser sent it. */
export function readHostCookie(site: Site, header: string | null | undefined, name: string): string | null {
  const prefix = `${cookieName(site, name)}=`;
  const pair = (header ?? "").split(";").find((candidate) => candidate.trim().startsWith(prefix));
  return pair ? pair.trim().slice(prefix.length) : null;
}
