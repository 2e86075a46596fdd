import { existsSync, readFileSync } from "node:fs";

/** Shorter values may occur by coincidence. */
const MIN_LENGTH = 12;

/** Names of secret members of forms, queries and JSON. `inDatabase`: the database may contain the value. */
const NAMES: Readonly<Record<string, { inDatabase: boolean }>> = {
  ...named(false, ["password", "password_repeat", "newPassword", "newPasswordRepeat", "client_secret"]),
  ...named(false, [
    "t",
    "mfa_token",
    "reset_token",
    "stop_token",
    "not_me_token",
    "change_token",
    "undo_token",
    "registration_token",
    "id_token",
  ]),
  ...named(false, ["access_token", "refresh_token", "code", "token"]),
  ...named(true, ["client_assertion", "id_token_hint"]),
  ...named(true, ["_xsrf", "xsrf_token", "login_challenge", "consent_challenge", "logout_challenge"]),
  ...named(true, ["nonce", "code_verifier"]),
};

function named(inDatabase: boolean, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { inDatabase }]));
}

type Secret = { kind: string; inDatabase: boolean };

/** All secrets that clients of this test file have sent or received. */
const secrets = new Map<string, Secret>();

/** Fields whose values are logged: a secret that also occurs there is not reported. */
const OPEN_NAMES = ["username", "client_id", "redirect_uri", "scope", "error", "error_description"];
const open = new Set<string>();

/** Forgets the secrets of the previous test file. */
export function forgetSecrets(): void {
  secrets.clear();
  open.clear();
}

/** Records a secret by its field name. Ignores other names and short values. */
export function noteSecret(name: string, value: unknown): void {
  if (OPEN_NAMES.includes(name) && typeof value === "string") open.add(value);
  const known = NAMES[name];
  if (known && typeof value === "string" && value.length >= MIN_LENGTH) secrets.set(value, { kind: name, ...known });
}

/** Records a cookie. The database contains interaction ids; their cookies are protected by a signature. */
export function noteCookie(name: string, value: string): void {
  const inDatabase = /resume$|interaction/.test(name);
  if (value.length >= MIN_LENGTH) secrets.set(value, { kind: `the cookie ${name}`, inDatabase });
}

/** Records the secrets in a query or form. */
export function noteParameters(text: string): void {
  for (const [name, value] of new URLSearchParams(text)) noteSecret(name, value);
}

/** Records the secrets in the query and fragment of a URL. */
export function noteUrl(text: string): void {
  if (!URL.canParse(text)) return;
  const { search, hash } = new URL(text);
  noteParameters(search);
  noteParameters(hash.slice(1));
}

/** Records the secrets in JSON, at any depth and in the URLs it contains. Ignores other text. */
export function noteJson(text: string): void {
  if (!text.startsWith("{")) return;
  try {
    noteMembers(JSON.parse(text));
  } catch {
    // Tests also send truncated or invalid JSON.
  }
}

function noteMembers(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    noteSecret(name, member);
    if (typeof member === "string") noteUrl(member);
    else noteMembers(member);
  }
}

/** Records the token or secret of an Authorization header. */
export function noteAuthorization(header: string | null | undefined): void {
  const [scheme = "", value = ""] = (header ?? "").split(" ");
  if (scheme === "Bearer") noteSecret("access_token", value);
  if (scheme !== "Basic") return;
  const [, secret = ""] = Buffer.from(value, "base64").toString("utf8").split(":");
  noteSecret(
    "client_secret",
    secret.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
  );
}

/** Returns the kinds of secrets that a log contains, never their values. */
export function findInLog(log: string): string[] {
  if (log === "") return [];
  return kindsOf(([value]) => formsOf(value).some((form) => log.includes(form)));
}

/** Returns the kinds of secrets in a SQLite file or its WAL that must not be stored in plain text. */
export function findInDatabase(file: string): string[] {
  const files = [file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one));
  // As bytes: Node 24.21 aborts on a search for a string with an unpaired surrogate, which some tests send.
  return kindsOf(([value, { inDatabase }]) => !inDatabase && files.some((bytes) => bytes.includes(Buffer.from(value))));
}

/** Throws if `found` is not empty. */
export function requireNone(where: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${where} contains secrets: ${found.join(", ")}`);
}

function kindsOf(isThere: (secret: [string, Secret]) => boolean): string[] {
  return [...new Set([...secrets].filter((one) => !open.has(one[0]) && isThere(one)).map(([, { kind }]) => kind))];
}

/** Returns the value as plain text, JSON-escaped and URL-encoded. Lone surrogates are replaced before encoding. */
function formsOf(value: string): string[] {
  const whole = Buffer.from(value).toString();
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(whole)])];
}
