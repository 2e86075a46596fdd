const MAX_LENGTH = 2000;

const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]"]);

// A private-use scheme is a reversed domain name and so contains a dot (RFC 8252 §7.1); `javascript:` does not.
const PRIVATE_USE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/**
 * `web`: https, or http on `localhost`. `loopback`: http on 127.0.0.1 or [::1], where a native application may choose
 * the port (RFC 8252 §7.3). `private-use`: a native application's own scheme (RFC 8252 §7.1).
 */
type RedirectUriKind = "web" | "loopback" | "private-use";

/**
 * Returns the kind of a redirect URI, or null if it must not be registered: http on another host, a fragment, user
 * info, a wildcard, or a non-canonical scheme. Compared as an exact string, except for a loopback port (RFC 9700 §2.1).
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

/** Returns true for a URI to which users may be redirected or requests sent: https, or http on this machine. */
export function isWebUri(uri: string): boolean {
  const kind = redirectUriKind(uri);
  return kind === "web" || kind === "loopback";
}
