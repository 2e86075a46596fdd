import type { Config } from "#app/config/config.ts";

type Site = Pick<Config, "issuer">;

/** Maximum lifetime that browsers accept (RFC 6265bis §5.5). */
export const LONGEST_COOKIE_SECONDS = 400 * 24 * 60 * 60;

/** Returns true if the issuer uses https, even if a proxy terminates TLS. */
export function isHttps({ issuer }: Site): boolean {
  return issuer.startsWith("https:");
}

/** Returns the cookie's name. On https its prefix makes browsers reject the cookie from subdomains and over http. */
export function cookieName(site: Site, name: string): string {
  return isHttps(site) ? `__Host-gatehouse_${name}` : `gatehouse_${name}`;
}

/**
 * Builds a `Set-Cookie` header for this host only, hidden from scripts. `value` must be base64url, because it is not
 * encoded. 0 seconds removes the cookie.
 */
export function hostCookie(site: Site, cookie: { name: string; value: string; maxAgeSeconds: number }): string {
  const { name, value, maxAgeSeconds } = cookie;
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return `${cookieName(site, name)}=${value}; ${attributes}${isHttps(site) ? "; Secure" : ""}`;
}

/** Returns the value of one of our cookies, as the browser sent it; null if missing. */
export function readHostCookie(site: Site, header: string | null | undefined, name: string): string | null {
  const prefix = `${cookieName(site, name)}=`;
  const pair = (header ?? "").split(";").find((candidate) => candidate.trim().startsWith(prefix));
  return pair ? pair.trim().slice(prefix.length) : null;
}
