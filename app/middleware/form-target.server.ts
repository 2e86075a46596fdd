/** Schemes whose "targets" would run or read something instead of leading to an application. */
const NEVER = new Set(["javascript:", "data:", "blob:", "file:", "vbscript:", "about:"]);

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

const SCHEME = /^[a-z][a-z0-9+.-]*:$/;

/**
 * The source that lets a form's redirects end at this URI, for form-action; null for what is no place for a form.
 * Web addresses give their origin, an app's own scheme (`com.example.app:/back`) the scheme. CSP Level 3 section 2.3.1.
 */
export function formTargetOf(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url || NEVER.has(url.protocol)) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return SCHEME.test(url.protocol) ? url.protocol : null;
  if (ORIGIN.test(url.origin)) return url.origin;
  // The grammar has no IPv6 addresses: the scheme is the narrowest source that matches one. Any other character that
  // URLs allow in a host, such as a semicolon, would end the directive.
  return /^\[[0-9a-f:.]+\]$/.test(url.hostname) ? url.protocol : null;
}
