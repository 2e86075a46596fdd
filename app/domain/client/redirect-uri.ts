const MAX_LENGTH = 2000;

const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]"]);

// RFC 8252 section 7.1: a private-use scheme is a reversed domain name, so it has a dot; `javascript:` and its like have none.
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/**
 * `web`: https, or http on the name localhost. `loopback`: http on 127.0.0.1 or [::1], where a native application may
 * choose the port (RFC 8252 section 7.3). `private-use`: the own scheme of a native application.
 */
export type RedirectUriKind = "web" | "loopback" | "private-use";

/**
 * The kind of a redirect URI, or null when no application may register it: http elsewhere, a fragment, user info, a
 * wildcard, or another spelling than the parser's. It is compared letter by letter later (RFC 9700 sections 2.1, 2.6).
 */
export function redirectUriKind(uri: string): RedirectUriKind | null {
  if (uri.length > MAX_LENGTH || /[#*\\\s]/.test(uri) || !URL.canParse(uri)) return null;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== "" || password !== "" || !uri.startsWith(protocol)) return null;
  if (PRIVATE_USE_SCHEME.test(protocol)) return "private-use";
  if (!uri.startsWith(`${protocol}//`)) return null;
  if (protocol === "https:") return "web";
  if (protocol !== "http:") return null;
  if (LOOPBACK_ADDRESSES.has(hostname)) return "loopback";
  return hostname === "localhost" ? "web" : null;
}

/** True for an address that a person may be sent to or the server may call: https, or http on this machine. */
export function isWebUri(uri: string): boolean {
  const kind = redirectUriKind(uri);
  return kind === "web" || kind === "loopback";
}
