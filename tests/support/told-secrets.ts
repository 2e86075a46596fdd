import { existsSync, readFileSync } from "node:fs";

/** Shorter values stand somewhere by chance. */
const MIN_LENGTH = 12;

/**
 * The members of forms, queries and JSON that only their sender and receiver may know, under every name they have on the
 * wire, and whether the database may hold them: what an application sent along has to be answered.
 */
const NAMES: Readonly<Record<string, { inDatabase: boolean }>> = {
  ...named(false, ["password", "password_repeat", "newPassword", "newPasswordRepeat", "client_secret"]),
  ...named(false, ["t", "mfa_token", "reset_token", "stop_token", "registration_token", "id_token"]),
  ...named(false, ["access_token", "refresh_token", "code", "token"]),
  ...named(true, ["client_assertion", "id_token_hint"]),
  ...named(true, ["_xsrf", "xsrf_token", "login_challenge", "consent_challenge", "logout_challenge"]),
  ...named(true, ["nonce", "code_verifier"]),
};

function named(inDatabase: boolean, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { inDatabase }]));
}

type Secret = { kind: string; inDatabase: boolean };

/** Every secret that a client of this test file has typed, sent or been handed, and what it is. */
const secrets = new Map<string, Secret>();

/** Fields whose content the log does show, made harmless: a text that was typed there as well is no secret. */
const OPEN_NAMES = ["username", "client_id", "redirect_uri", "scope", "error", "error_description"];
const open = new Set<string>();

/** Remembers a secret under the name it has on the wire. Nothing happens with other names, and with short values. */
export function noteSecret(name: string, value: unknown): void {
  if (OPEN_NAMES.includes(name) && typeof value === "string") open.add(value);
  const facts = NAMES[name];
  if (facts && typeof value === "string" && value.length >= MIN_LENGTH) secrets.set(value, { kind: name, ...facts });
}

/** Remembers a cookie's value. The engine finds a request under way by its; what opens it is the cookie's signature. */
export function noteCookie(name: string, value: string): void {
  const inDatabase = /resume$|interaction/.test(name);
  if (value.length >= MIN_LENGTH) secrets.set(value, { kind: `the cookie ${name}`, inDatabase });
}

/** Remembers what is secret in a query or form. */
export function noteParameters(text: string): void {
  for (const [name, value] of new URLSearchParams(text)) noteSecret(name, value);
}

/** Remembers what is secret in an address, in its query or behind its #. */
export function noteUrl(text: string): void {
  if (!URL.canParse(text)) return;
  const { search, hash } = new URL(text);
  noteParameters(search);
  noteParameters(hash.slice(1));
}

/** Remembers what is secret in JSON, at any depth; also in the addresses that it holds. Any other text is passed over. */
export function noteJson(text: string): void {
  if (!text.startsWith("{")) return;
  try {
    noteMembers(JSON.parse(text));
  } catch {
    // Cut off, or no JSON: tests send that too.
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

/** Remembers the token or secret of an Authorization header. */
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

/** What of the secrets stands in a log, by its kind; never the secret itself. */
export function findInLog(log: string): string[] {
  if (log === "") return [];
  return kindsOf(([value]) => formsOf(value).some((form) => log.includes(form)));
}

/** What of those secrets that are stored as hashes, or not at all, stands in a SQLite file or its -wal. */
export function findInDatabase(file: string): string[] {
  const files = [file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one));
  return kindsOf(([value, { inDatabase }]) => !inDatabase && files.some((bytes) => bytes.includes(value)));
}

/** Throws when something was found, and says what and where. */
export function requireNone(where: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${where} holds what nobody may read there: ${found.join(", ")}`);
}

function kindsOf(isThere: (secret: [string, Secret]) => boolean): string[] {
  return [...new Set([...secrets].filter((one) => !open.has(one[0]) && isThere(one)).map(([, { kind }]) => kind))];
}

/** As it is, as JSON writes it, and as an address does, in which half a letter cannot stand. */
function formsOf(value: string): string[] {
  const whole = Buffer.from(value).toString();
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(whole)])];
}
