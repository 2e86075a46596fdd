import type { DatabaseTarget } from "./config.ts";
import { oneLine, parseUrl, type ValidationError, validated } from "./validate.server.ts";

/** DATABASE_URL. Errors never quote the value, which may contain a password. */
export function databaseUrl() {
  return validated(oneLine(2000), validateDatabase).transform(toTarget);
}

/** Returns the value for display, without a PostgreSQL password and query. */
export function showDatabase(database: DatabaseTarget): string {
  return database.dialect === "sqlite" ? `sqlite:${database.file}` : showUrl(database.url);
}

/** Returns a URL that passed `judgeServerUrl`, without its password and the values of its query. */
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
  if (!url) {
    return "cannot be read as a URL; in a password, percent-encode / ? # @ : and %";
  }
  const isWhole = path.test(url.pathname) && url.hash === "" && !url.search.includes("@") && !url.host.includes("@");
  return isWhole ? null : "has a part where none belongs; in a password, percent-encode / ? # @ : and %";
}

function validateDatabase(text: string): ValidationError {
  if (text.startsWith("sqlite:")) {
    return validateFile(text);
  }
  if (!/^postgres(ql)?:\/\//.test(text)) {
    return "starts neither with sqlite: nor with postgres://";
  }
  return validateServerUrl(text, /^\/[^/@:]+$/);
}

function validateFile(text: string): ValidationError {
  const file = toFile(text);
  if (file === ":memory:") {
    return "names a database in memory, which forgets every account when the process ends";
  }
  if (file.startsWith("//")) {
    return "has two slashes after sqlite:, so that the folder reads like a host";
  }
  return file === "" || file.endsWith("/") ? "names no file" : null;
}

function toTarget(text: string): DatabaseTarget {
  return text.startsWith("sqlite:") ? { dialect: "sqlite", file: toFile(text) } : { dialect: "postgres", url: text };
}

// Other programs write the absolute path /var/lib/x as sqlite:///var/lib/x.
function toFile(text: string): string {
  return text.slice("sqlite:".length).replace(/^\/\/\//, "/");
}
