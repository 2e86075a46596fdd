const MAX_LENGTH = 2000;

const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]"]);

/** https on this machine, which oidc-provider rejects for native applications. */
const HTTPS_ON_LOOPBACK = /^https:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

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

/** The redirect URIs of a client, and whether it is public. */
type ClientUris = { public: boolean; redirectUris: readonly string[]; postLogoutRedirectUris: readonly string[] };

/**
 * Returns true for a native application: a public client with a private-use scheme, or with loopback addresses only. It
 * may have https URIs as well (RFC 8252 §7.2). Other public clients on a loopback address cannot choose the port.
 */
export function isNativeClient(client: ClientUris): boolean {
  const uris = [...client.redirectUris, ...client.postLogoutRedirectUris];
  const hasOwnScheme = uris.some((uri) => !/^https?:/i.test(uri));
  return client.public && (hasOwnScheme || client.redirectUris.every((uri) => redirectUriKind(uri) === "loopback"));
}

/**
 * Returns true if this client may register the URI. Any app can claim a private-use scheme (RFC 8252 §8.1), so that
 * confidential clients must not use one.
 */
export function mayRegisterUri(client: ClientUris, uri: string): boolean {
  const kind = redirectUriKind(uri);
  if (kind === "web") return !(isNativeClient(client) && HTTPS_ON_LOOPBACK.test(new URL(uri).origin));
  return kind === "private-use" ? client.public : kind !== null;
}

/** Returns true for a URI to which users may be redirected or requests sent: https, or http on this machine. */
export function isWebUri(uri: string): boolean {
  const kind = redirectUriKind(uri);
  return kind === "web" || kind === "loopback";
}
