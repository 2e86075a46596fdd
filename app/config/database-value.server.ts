import type { DatabaseTarget } from "./config.ts";
import {
  isDecodable,
  oneLine,
  parseUrl,
  type ValidationError,
  validated,
  validateWhiteSpace,
} from "./validate.server.ts";

/** DATABASE_URL. Errors never quote the value, which may contain a password. */
export function databaseUrl() {
  return validated(oneLine(2000), validateDatabase).transform(toTarget);
}

/** Returns the value for display, without a PostgreSQL password and query. */
export function showDatabase(database: DatabaseTarget): string {
  return database.dialect === "sqlite" ? `sqlite:${database.file}` : showUrl(database.url);
}

/** Returns a URL that was validated as the URL of a server, without its password and the values of its query. */
export function showUrl(text: string): string {
  const { protocol, username, password, host, pathname, search } = new URL(text);
  const account = username ? `${username}${password ? ":***" : ""}@` : "";
  return `${protocol}//${account}${host}${pathname}${search ? "?..." : ""}`;
}

/**
 * Validates the URL of a server. An unescaped `/`, `?`, `#` or `@` in a password moves it to the wrong part of the URL,
 * so every part is checked before one of them is shown.
 */
export function validateServerUrl(text: string, path: RegExp): ValidationError {
  const url = parseUrl(text);
  if (!url) return "is not a URL; percent-encode / ? # @ : and % in a password";
  const isWhole = path.test(url.pathname) && url.hash === "" && !url.search.includes("@") && !url.host.includes("@");
  return isWhole ? null : "has an unexpected path, query or fragment; percent-encode / ? # @ : and % in a password";
}

function validateDatabase(text: string): ValidationError {
  if (text.startsWith("sqlite:")) return validateFile(text);
  if (!/^postgres(ql)?:\/\//.test(text)) return "does not start with sqlite: or postgres://";
  return validateServerUrl(withHost(text), /^\/[^/@:]+$/) ?? validateEncoding(text);
}

/** pg reads a `%` before anything but two hexadecimal digits as itself, and decodes all others as UTF-8. */
function validateEncoding(text: string): ValidationError {
  const [beforeQuery = ""] = text.split("?", 1);
  const isUsable = /%(?![0-9a-f]{2})/i.test(beforeQuery) || isDecodable(beforeQuery);
  return isUsable ? null : "contains a % that encodes no character; percent-encode / ? # @ : and % in a password";
}

/**
 * Moves the host of libpq's `postgresql://user@/db?host=/folder` before the path, `postgresql://user@%2Ffolder/db`, which
 * is a URL that shows the host. A folder is that of a Unix socket.
 */
function withHost(text: string): string {
  const url = parseUrl(text.replace(/^(\w+:\/\/[^/?#]*@|\w+:\/\/)(?=\/)/, `$1${NO_HOST}`));
  const host = url?.searchParams.get("host");
  if (!url || !host || url.hostname !== NO_HOST) return text;
  url.searchParams.delete("host");
  url.hostname = encodeURIComponent(host);
  return url.href;
}

/** Stands for an empty host, which a URL with a user must not have. */
const NO_HOST = "no-host";

function validateFile(text: string): ValidationError {
  const file = toFile(text);
  const wrong = validateWhiteSpace(file);
  if (wrong) return wrong;
  if (file === ":memory:") return "is a database in memory, which loses all data when the process ends";
  if (file.startsWith("//")) return "has two slashes after sqlite:; use one or three slashes before an absolute path";
  return file === "" || file.endsWith("/") ? "contains no file name" : null;
}

function toTarget(text: string): DatabaseTarget {
  return text.startsWith("sqlite:")
    ? { dialect: "sqlite", file: toFile(text) }
    : { dialect: "postgres", url: withHost(text) };
}

// Other programs write the absolute path /var/lib/x as sqlite:///var/lib/x.
function toFile(text: string): string {
  return text.slice("sqlite:".length).replace(/^\/\/\//, "/");
}
