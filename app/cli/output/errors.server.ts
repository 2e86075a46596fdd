import { causesOf } from "#app/db/driver.server.ts";
import { StoreError, type StoreErrorCode } from "#app/db/errors.server.ts";
import { DomainError, type ErrorCode } from "#app/domain/base/errors.ts";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, type PasswordRule } from "#app/domain/password/rules.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { USERNAME_MAX_LENGTH } from "#app/domain/username/canonical.ts";
import { KEY_AHEAD_HOURS } from "#app/oidc/key-lifetimes.ts";
import { CommandError, EXIT, type ExitCode } from "./command-error.ts";

/** The exit code of a failed command, and the lines of its error message. */
type Explanation = { exitCode: ExitCode; lines: readonly string[] };

/** Converts any error to an exit code and a message for the administrator. Unknown errors show their innermost cause. */
export function explainError(error: unknown): Explanation {
  if (error instanceof CommandError) return error;
  if (error instanceof StoreError) return { exitCode: STORE_EXITS[error.code], lines: error.message.split("\n") };
  if (error instanceof DomainError) return explainDomainError(error);
  return { exitCode: EXIT.failed, lines: explainDiskError(error) ?? [reasonOf(error)] };
}

const STORE_EXITS = {
  "second server": EXIT.refused,
  "not writable": EXIT.configuration,
  "database newer": EXIT.configuration,
  "stale wal": EXIT.refused,
  replaced: EXIT.failed,
  swapped: EXIT.refused,
  "no backup": EXIT.failed,
} as const satisfies Record<StoreErrorCode, ExitCode>;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // A host name with several addresses, none of which is reachable.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join("; ");
  return error.message || error.name;
}

/** Disk errors by the prefix of their code (SQLite and Node), with their solution. */
const DISK_ERRORS: readonly { codes: readonly string[]; problem: string; fix: string }[] = [
  {
    codes: ["SQLITE_FULL", "ENOSPC", "EDQUOT"],
    problem: "The disk is full",
    fix: "Free some disk space (see df -h), then run the command again. Unfinished changes were rolled back.",
  },
  {
    codes: ["SQLITE_READONLY", "SQLITE_CANTOPEN", "EROFS"],
    problem: "The database or its folder is not writable",
    fix: "Check the owner (ls -la) and that the file system is not mounted read-only (mount).",
  },
  {
    codes: ["EACCES", "EPERM"],
    problem: "Access to a file was denied",
    fix: "Run the command as the user of the service or as root, or change the file's owner and mode (see ls -la).",
  },
  {
    codes: ["SQLITE_IOERR", "EIO", "EFBIG"],
    problem: "Reading or writing the disk failed",
    fix: "Check dmesg and df -h, then run the command again. Unfinished changes were rolled back.",
  },
];

function explainDiskError(error: unknown): readonly string[] | null {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof Error && "code" in cause)) continue;
    const code = String(cause.code);
    // Of a port below 1024, for example.
    if (/^E(ACCES|PERM)$/.test(code) && !("path" in cause)) continue;
    const found = DISK_ERRORS.find(({ codes }) =>
      codes.some((prefix) => code === prefix || code.startsWith(`${prefix}_`)),
    );
    if (found) return [`${found.problem}: ${cause.message} (${code}).`, found.fix];
  }
  return null;
}

function explainDomainError(error: DomainError): Explanation {
  const entry = DOMAIN_ERRORS[error.code];
  if (!entry) return { exitCode: EXIT.failed, lines: [error.message] };
  return { exitCode: entry.exitCode, lines: entry.lines(error.detail) };
}

/** Exit codes and messages of the domain errors that a command can throw. */
const DOMAIN_ERRORS: Partial<Record<ErrorCode, { exitCode: ExitCode; lines: (detail: string) => string[] }>> = {
  "empty-password": { exitCode: EXIT.usage, lines: () => ["The password is empty."] },
  "password-strength": { exitCode: EXIT.refused, lines: passwordRuleLines },
  "password-common": { exitCode: EXIT.refused, lines: commonPasswordLines },
  "username is empty": { exitCode: EXIT.usage, lines: () => ["The user name is empty."] },
  "username is invalid": {
    exitCode: EXIT.usage,
    lines: () => [
      "The user name is invalid.",
      `It must have 1 to ${USERNAME_MAX_LENGTH} characters: letters of one script, digits, and . _ - @`,
    ],
  },
  "username not available": {
    exitCode: EXIT.refused,
    lines: (name) => [
      name === "username not available"
        ? "A user with this name already exists."
        : `A user "${name}" was added at the same moment. Run the import again, with --on-conflict skip or update.`,
    ],
  },
  "user not found": {
    exitCode: EXIT.notFound,
    lines: (name) => [`There is no user "${name}".`, "List all users: gatehouse user list"],
  },
  "user is blocked": {
    exitCode: EXIT.refused,
    lines: (name) => [`User "${name}" is blocked.`, `Unblock the user first: gatehouse user unblock ${name}`],
  },
  "user has no e-mail": {
    exitCode: EXIT.refused,
    lines: (name) => [`User "${name}" has no mail address.`, `Set one: gatehouse user set ${name} --email ADDRESS`],
  },
  "user has a password": {
    exitCode: EXIT.refused,
    lines: (name) => [
      `User "${name}" already has a password.`,
      `Create a link to set a new one: gatehouse user link ${name} --password-reset`,
    ],
  },
  "user is invalid": {
    exitCode: EXIT.usage,
    lines: (detail) => ["The user is invalid. Nothing was changed.", ...fieldLines(detail)],
  },
  "account in use": {
    exitCode: EXIT.refused,
    lines: (group) => [
      `Another user of the group "${group}" is connected to the same provider account.`,
      "One of the two users must disconnect it first.",
    ],
  },
  "group not found": {
    exitCode: EXIT.notFound,
    lines: (name) => [`There is no group "${name}".`, "List all groups: gatehouse group list"],
  },
  "group is invalid": { exitCode: EXIT.usage, lines: (detail) => [`The group is invalid (${detail}).`] },
  "group has members": {
    exitCode: EXIT.refused,
    lines: (group) => [
      `The group is the home group of users (${group}). Nothing was changed.`,
      "Move each of them first: gatehouse user set NAME --group OTHER, or --no-group",
    ],
  },
  "group is in use": {
    exitCode: EXIT.refused,
    lines: (detail) => [
      `The group is in use (${detail}). Nothing was changed.`,
      "To remove it with its memberships, and to close the applications to its members: --end-memberships",
    ],
  },
  "home group": {
    exitCode: EXIT.refused,
    lines: (detail) => [
      `The group is the home group of the user (${detail}). Nothing was changed.`,
      "Change the home group instead: gatehouse user set NAME --group OTHER, or --no-group",
    ],
  },
  "role is invalid": { exitCode: EXIT.refused, lines: (detail) => [`The role is invalid: ${detail}.`] },
  "role not found": {
    exitCode: EXIT.refused,
    lines: (name) => [`User ${name} has no role.`, "List roles: gatehouse role list"],
  },
  "last administrator": {
    exitCode: EXIT.refused,
    lines: (name) => [
      `User ${name} is the only active administrator. Nothing was changed.`,
      "Give the role to another user first: gatehouse role grant NAME administrator",
    ],
  },
  "last day is past": {
    exitCode: EXIT.refused,
    lines: (day) => [
      `The last day ${day} is over. Nothing was changed.`,
      "Block the user at once: gatehouse user block NAME",
    ],
  },
  "too many groups": {
    exitCode: EXIT.refused,
    lines: (detail) => [`Too many groups: ${detail}. Nothing was changed.`],
  },
  "group not available": { exitCode: EXIT.refused, lines: () => ["A group with this name already exists."] },
  "client not found": {
    exitCode: EXIT.notFound,
    lines: (id) => [`There is no client "${id}".`, "List all clients: gatehouse client list"],
  },
  "consent not found": {
    exitCode: EXIT.notFound,
    lines: (id) => [
      `The user has given no consent to "${id}".`,
      `List the consents to this client: gatehouse client consents ${id}`,
    ],
  },
  "client is invalid": {
    exitCode: EXIT.usage,
    lines: (detail) => ["The client is invalid. Nothing was changed.", ...fieldLines(detail)],
  },
  "client not available": { exitCode: EXIT.refused, lines: (id) => [`A client "${id}" already exists.`] },
  "client is public": { exitCode: EXIT.refused, lines: (id) => [`"${id}" is a public client, which has no secret.`] },
  "redirect uri is invalid": {
    exitCode: EXIT.usage,
    lines: (uri) => [
      `The redirect URI is invalid: ${uri}`,
      "It must be an absolute https URI, or http on a loopback address, without wildcard and fragment.",
      "Public clients may also use a private-use scheme, such as com.example.app:/callback,",
      "but then http instead of https on this machine.",
    ],
  },
  "return url is unknown": {
    exitCode: EXIT.refused,
    lines: (url) => [
      `No client has registered this return URL of the settings: ${url}`,
      "Register it: gatehouse client set ID --may-open-settings --settings-return-uri URL",
    ],
  },
  "scope is unknown": {
    exitCode: EXIT.usage,
    lines: (id) => [`There is no scope "${id}".`, `Known scopes: ${SCOPES.map((scope) => scope.id).join(" ")}`],
  },
  "wrong secret key": {
    exitCode: EXIT.configuration,
    lines: (detail) => [`SECRET_KEYS does not fit this database: ${detail}.`],
  },
  "host changed": {
    exitCode: EXIT.refused,
    lines: (detail) => [
      `The host of ISSUER has changed: ${detail}. They would stop working.`,
      "List the affected users and clients: gatehouse doctor --plan issuer=…",
      "To start anyway, run gatehouse serve --accept; otherwise set ISSUER back.",
    ],
  },
  "key too young": {
    exitCode: EXIT.refused,
    lines: (kid) => [
      `The next key (${kid}) was published less than ${KEY_AHEAD_HOURS} hours ago; clients may not have fetched it.`,
      "Run it again with --now to rotate anyway; clients that reject a token then fetch the keys again.",
    ],
  },
  overloaded: { exitCode: EXIT.failed, lines: () => ["Too many operations are running. Try again later."] },
};

const PASSWORD_RULES: Record<Exclude<PasswordRule, "equal">, string> = {
  length: `${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`,
  maxLength: `no more than ${PASSWORD_MAX_LENGTH} characters`,
  lower: "a lower-case letter",
  upper: "an upper-case letter",
  digit: "a digit",
};

/** `detail` lists the broken rules; anything else in it is printed unchanged. */
function passwordRuleLines(detail: string): string[] {
  const rules = detail.split(", ").map((name) => (isPasswordRule(name) ? PASSWORD_RULES[name] : name));
  return [`The password is not strong enough. It needs ${rules.join(", ")}.`];
}

function isPasswordRule(name: string): name is keyof typeof PASSWORD_RULES {
  return Object.hasOwn(PASSWORD_RULES, name);
}

function commonPasswordLines(reason: string): string[] {
  return reason === "name"
    ? ["The password contains a name of the user or of the product."]
    : ["The password is on a list of common passwords."];
}

/** Splits `field: problem; …` into one line per field, under the name of its option. */
function fieldLines(detail: string): string[] {
  return detail.split("; ").map((part) => {
    const [, field, member = "", problem] = /^(\w+)(?:\.(?:\d+|(\w+)))?: (.*)$/s.exec(part) ?? [];
    return field && problem ? `  ${optionOf(field)}${member && ` ${member}`}: ${problem}` : `  ${part}`;
  });
}

function optionOf(field: string): string {
  if (field === "groupName") return "--group";
  if (field === "furtherGroups") return "--add-group";
  const kebab = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // Repeatable options are singular; fields are plural.
  return `--${kebab.replace(/(?<!s)s$/, "")}`;
}
