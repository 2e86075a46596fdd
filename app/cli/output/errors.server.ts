import type { DomainError, ErrorCode } from "#app/domain/errors.ts";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, type PasswordRule } from "#app/domain/password/rules.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { USERNAME_MAX_LENGTH } from "#app/domain/username/canonical.ts";
import { KEY_AHEAD_HOURS } from "#app/oidc/key-lifetimes.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

type Refusal = { exitCode: ExitCode; say: (detail: string) => string[] };

const RULES: Record<Exclude<PasswordRule, "equal">, string> = {
  length: `${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`,
  maxLength: `no more than ${PASSWORD_MAX_LENGTH} characters`,
  lower: "a lower-case letter",
  upper: "an upper-case letter",
  digit: "a digit",
};

/** The refusals an administrator can meet, in words. */
const REFUSALS: Partial<Record<ErrorCode, Refusal>> = {
  "empty-password": { exitCode: EXIT.usage, say: () => ["The password is empty."] },
  "password-strength": { exitCode: EXIT.refused, say: sayPasswordRules },
  "password-common": { exitCode: EXIT.refused, say: sayCommonPassword },
  "username is empty": { exitCode: EXIT.usage, say: () => ["The user name is empty."] },
  "username is invalid": {
    exitCode: EXIT.usage,
    say: () => [
      "This cannot be a user name.",
      `It has 1 to ${USERNAME_MAX_LENGTH} characters: letters of one script, digits, and . _ - @`,
    ],
  },
  "username not available": { exitCode: EXIT.refused, say: () => ["There is a user of this name already."] },
  "user not found": {
    exitCode: EXIT.notFound,
    say: (name) => [`There is no user "${name}".`, "`gatehouse user list` shows them all."],
  },
  "user is blocked": {
    exitCode: EXIT.refused,
    say: (name) => [`"${name}" is blocked.`, "`gatehouse user unblock` lets the user in again."],
  },
  "user has no e-mail": {
    exitCode: EXIT.refused,
    say: (name) => [`"${name}" has no mail address.`, "`gatehouse user set NAME --email …` gives the user one."],
  },
  "user has a password": {
    exitCode: EXIT.refused,
    say: (name) => [
      `"${name}" has a password already.`,
      "`gatehouse user link NAME --password-reset` makes a link to another one.",
    ],
  },
  "user is invalid": {
    exitCode: EXIT.usage,
    say: (detail) => ["Nothing was done: this cannot be a user.", ...sayFields(detail)],
  },
  "account in use": {
    exitCode: EXIT.refused,
    say: (group) => [
      `Somebody in the group "${group}" signs in with the same account of a provider already.`,
      "One of the two has to disconnect it first.",
    ],
  },
  "group not found": {
    exitCode: EXIT.notFound,
    say: (name) => [`There is no group "${name}".`, "`gatehouse group list` shows them all."],
  },
  "group is invalid": { exitCode: EXIT.usage, say: (detail) => [`This cannot be a group (${detail}).`] },
  "group not available": {
    exitCode: EXIT.refused,
    say: () => ["There is a group of this name already."],
  },
  "client not found": {
    exitCode: EXIT.notFound,
    say: (id) => [`There is no client "${id}".`, "`gatehouse client list` shows them all."],
  },
  "consent not found": {
    exitCode: EXIT.notFound,
    say: (id) => [`There is no consent of this user to "${id}".`, `Run: gatehouse client consents ${id}`],
  },
  "client is invalid": {
    exitCode: EXIT.usage,
    say: (detail) => ["Nothing was done: this cannot be a client.", ...sayFields(detail)],
  },
  "client not available": { exitCode: EXIT.refused, say: (id) => [`There is a client "${id}" already.`] },
  "client is public": { exitCode: EXIT.refused, say: (id) => [`"${id}" is a public client, which has no secret.`] },
  "redirect uri is invalid": {
    exitCode: EXIT.usage,
    say: (uri) => [
      `This cannot be registered: ${uri}`,
      "It must be https, or http on this machine, spelled out in full without wildcard or fragment;",
      "an own scheme such as com.example.app:/callback is for public clients that have nothing else.",
    ],
  },
  "return url is unknown": {
    exitCode: EXIT.refused,
    say: (url) => [
      `No application has this way back from the settings: ${url}`,
      "It is registered with `gatehouse client set ID --may-open-settings --settings-return-uri …`.",
    ],
  },
  "scope is unknown": {
    exitCode: EXIT.usage,
    say: (id) => [`There is no scope "${id}".`, `Known: ${SCOPES.map((scope) => scope.id).join(" ")}`],
  },
  "wrong secret key": {
    exitCode: EXIT.configuration,
    say: (detail) => [`SECRET_KEYS does not fit this database: ${detail}.`],
  },
  "host changed": {
    exitCode: EXIT.refused,
    say: (detail) => [
      `The host of ISSUER is another one: ${detail}. They would work no more.`,
      "`gatehouse doctor --plan issuer=…` names the people and applications it concerns.",
      "`gatehouse serve --accept` starts all the same; put ISSUER back if it was not meant.",
    ],
  },
  "key too young": {
    exitCode: EXIT.refused,
    say: (kid) => [
      `The next key (${kid}) has not been published for ${KEY_AHEAD_HOURS} hours yet: applications may not know it.`,
      "Say --now when that matters less than the rotation; those that refuse a sign-in then fetch the keys again.",
    ],
  },
  overloaded: { exitCode: EXIT.failed, say: () => ["Too much is under way at the moment. Try again."] },
};

/** A refusal in words, and the code the command ends with. */
export function explainRefusal(error: DomainError): { exitCode: ExitCode; lines: string[] } {
  const refusal = REFUSALS[error.code];
  if (!refusal) return { exitCode: EXIT.failed, lines: [error.message] };
  return { exitCode: refusal.exitCode, lines: refusal.say(error.detail) };
}

/** The detail names the broken rules; anything else in it is told as it is. */
function sayPasswordRules(detail: string): string[] {
  const words = detail.split(", ").map((name) => (isRule(name) ? RULES[name] : name));
  return [`The password is not strong enough. It needs ${words.join(", ")}.`];
}

function isRule(name: string): name is keyof typeof RULES {
  return Object.hasOwn(RULES, name);
}

function sayCommonPassword(reason: string): string[] {
  return reason === "name"
    ? ["The password contains a name that others know: the user's, or the product's."]
    : ["This password is on a list of known passwords."];
}

/** The detail of a wrong input, `field: what is wrong; …`, one line each under the name of its option. */
function sayFields(detail: string): string[] {
  return detail.split("; ").map((part) => {
    const [, field, member = "", wrong] = /^(\w+)(?:\.(?:\d+|(\w+)))?: (.*)$/s.exec(part) ?? [];
    return field && wrong ? `  ${optionOf(field)}${member && ` ${member}`}: ${wrong}` : `  ${part}`;
  });
}

function optionOf(field: string): string {
  if (field === "groupName") return "--group";
  const kebab = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // Options are repeated and named in the singular; fields are lists.
  return `--${kebab.replace(/(?<!s)s$/, "")}`;
}
