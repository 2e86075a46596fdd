import { noteCookie } from "./sent-secrets.ts";

/** A stored cookie (RFC 6265 §5.3). Host-only: the tests have one host. */
export type Cookie = {
  name: string;
  value: string;
  host: string;
  path: string;
  /** Milliseconds since 1970; null for a session cookie. */
  expiresAtMs: number | null;
  httpOnly: boolean;
  secure: boolean;
  sameSite: string | null;
};

export type CookieJar = {
  /** Stores the cookies of a response. */
  take(url: URL, setCookies: readonly string[]): void;
  /** Returns the Cookie header for a request; null if no cookie matches. */
  header(url: URL): string | null;
  find(name: string): Cookie | null;
  all(): Cookie[];
  /** Removes one cookie, or all of them. */
  clear(name?: string): void;
  /** Copies the cookies into a new jar, as after a theft or a restored profile. */
  copy(): CookieJar;
};

/** Creates a cookie jar. As in browsers, ports do not separate cookies. */
export function createCookieJar(initial: readonly Cookie[] = []): CookieJar {
  let cookies = [...initial];
  const living = () => cookies.filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > Date.now());
  return {
    take(url, setCookies) {
      for (const text of setCookies) {
        const cookie = parseSetCookie(text, url);
        if (!keepsPrefix(cookie, text)) continue;
        noteCookie(cookie.name, cookie.value);
        cookies = cookies.filter((known) => !isSame(known, cookie));
        cookies.push(cookie);
      }
      cookies = living();
    },
    header(url) {
      const sent = living().filter((cookie) => goesTo(cookie, url));
      if (sent.length === 0) return null;
      // Longer paths first (RFC 6265 §5.4).
      const ordered = sent.toSorted((one, other) => other.path.length - one.path.length);
      return ordered.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
    find: (name) => living().find((cookie) => cookie.name === name) ?? null,
    all: living,
    clear(name) {
      cookies = name === undefined ? [] : cookies.filter((cookie) => cookie.name !== name);
    },
    copy: () => createCookieJar(cookies),
  };
}

/** Parses a Set-Cookie header (RFC 6265 §5.2). */
export function parseSetCookie(text: string, url: URL): Cookie {
  const [pair = "", ...rest] = text.split(";");
  const [name, value] = splitPair(pair);
  const attributes = new Map(rest.map(splitPair).map(([key, content]) => [key.toLowerCase(), content]));
  const path = attributes.get("path");
  return {
    name,
    value,
    host: url.hostname,
    path: path?.startsWith("/") ? path : defaultPath(url),
    expiresAtMs: expiry(attributes),
    httpOnly: attributes.has("httponly"),
    secure: attributes.has("secure"),
    sameSite: attributes.get("samesite")?.toLowerCase() ?? null,
  };
}

function splitPair(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at === -1) return [text.trim(), ""];
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function expiry(attributes: ReadonlyMap<string, string>) {
  const maxAge = attributes.get("max-age");
  if (maxAge !== undefined) return Date.now() + Number(maxAge) * 1000;
  const expires = attributes.get("expires");
  return expires === undefined ? null : Date.parse(expires);
}

function defaultPath(url: URL) {
  const end = url.pathname.lastIndexOf("/");
  return end <= 0 ? "/" : url.pathname.slice(0, end);
}

/** Browsers reject a cookie that violates the rules of its prefix (RFC 6265bis §4.1.3). */
function keepsPrefix({ name, path, secure }: Cookie, text: string) {
  if (name.startsWith("__Secure-")) return secure;
  return !name.startsWith("__Host-") || (secure && path === "/" && !/;\s*domain=/i.test(text));
}

function isSame(one: Cookie, other: Cookie) {
  return one.name === other.name && one.path === other.path && one.host === other.host;
}

function goesTo(cookie: Cookie, url: URL) {
  if (cookie.host !== url.hostname) return false;
  if (url.pathname === cookie.path) return true;
  return url.pathname.startsWith(cookie.path.endsWith("/") ? cookie.path : `${cookie.path}/`);
}
