/** Schemes that never lead to a client application. */
const FORBIDDEN_SCHEMES = new Set(["javascript:", "data:", "blob:", "file:", "vbscript:", "about:"]);

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

const SCHEME = /^[a-z][a-z0-9+.-]*:$/;

/**
 * Returns the source expression of a redirect URI for form-action (CSP Level 3 §2.3.1): the origin of a web URL, or a
 * custom scheme (`com.example.app:/back`); null if unsuitable.
 */
export function formTargetOf(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url || FORBIDDEN_SCHEMES.has(url.protocol)) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return SCHEME.test(url.protocol) ? url.protocol : null;
  if (ORIGIN.test(url.origin)) return url.origin;
  // Source expressions have no IPv6 addresses, so the scheme is the narrowest match. Other characters that URLs allow
  // in a host, such as a semicolon, would end the directive.
  return /^\[[0-9a-f:.]+\]$/.test(url.hostname) ? url.protocol : null;
}
