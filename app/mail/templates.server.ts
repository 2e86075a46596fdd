import type { i18n } from "i18next";
import { browserName } from "#app/browser-name.server.ts";
import { MINUTE_MS } from "#app/durations.ts";

/** Circumstances of a mail. `from`: metadata of the request that caused it; null for an administrator's command. */
export type Occasion = {
  /** Null: the mail must not repeat names of the account. */
  username: string | null;
  at: Date;
  /** Expiry of the mail's link, if it has one. */
  until: Date;
  from: { userAgent: string; address: string } | null;
  /** Name of the application that the user was signing in to; null for none. */
  application: string | null;
  /** Link of a security notice that ends all access; null for other mails. */
  notMeUrl: string | null;
};

type MailedFactor = "totp" | "security key" | "passkey";

/** All mails with their variables. URLs are absolute and of this installation. */
export type MailTemplate =
  | { name: "password-reset"; url: string }
  | { name: "invitation"; url: string }
  | { name: "password-changed" }
  | { name: "username-changed"; old: string; new: string }
  /** To a new address. `url` confirms it. */
  | { name: "email-change"; url: string }
  /** To a new address that belongs to another user. */
  | { name: "email-change-refused" }
  /** To the old address. `url` undoes the change, until `until`. */
  | { name: "email-changed"; url: string; until: Date }
  /** Goes to the old address, which an administrator changed or removed. It has no link: the mailbox may be lost, or stolen. */
  | { name: "email-replaced" }
  | { name: "factor-added"; factor: MailedFactor }
  | { name: "factor-removed"; factor: MailedFactor }
  | { name: "factor-refused" }
  /** `worksFrom`: start of validity of `url`; `stopUrl` cancels the reset. */
  | { name: "mfa-reset"; url: string; worksFrom: Date; stopUrl: string }
  | { name: "mfa-reset-done" }
  /** Help of the administration. `by`: display name of the giver; `until`: end of its validity. */
  | { name: "help-given"; kind: "new-device" | "new-password"; by: string; until: Date }
  | { name: "recovery-code-used"; left: number }
  | { name: "recovery-codes-made" }
  /** `account`: name from the provider, "" if it has none. */
  | { name: "provider-connected"; provider: string; account: string }
  | { name: "provider-disconnected"; provider: string }
  | { name: "new-browser" }
  /** One more of a day. `until`: further ones are not mailed before that time. */
  | { name: "new-browsers"; until: Date }
  /** To the administrator. `users`: number of affected users. `isComplete`: false if changes are unknown. */
  | { name: "database-restored"; users: number; isComplete: boolean }
  | { name: "backup-failed"; reason: string }
  /** To the administrator. `failures`: failed sign-ins in an hour; from `limit` on, only known browsers can sign in. */
  | { name: "sign-in-alarm"; failures: number; limit: number }
  | { name: "test"; host: string };

/** The notices of a sign-in or a change that someone else may have made. */
const SECURITY_NOTICES: readonly MailTemplate["name"][] = [
  "password-changed",
  "username-changed",
  "factor-added",
  "factor-removed",
  "factor-refused",
  "mfa-reset-done",
  "help-given",
  "recovery-code-used",
  "recovery-codes-made",
  "provider-connected",
  "provider-disconnected",
  "new-browser",
  "new-browsers",
];

/** Returns true if the mail gets a link that ends all access. */
export function isSecurityNotice({ name }: MailTemplate): boolean {
  return SECURITY_NOTICES.includes(name);
}

/**
 * A paragraph of lines, an emphasised question and its answer, a table of labels and values, or a link as a button.
 * "filled" is for the action that most readers should choose; `note` describes what the button does.
 */
export type MailBlock =
  | { lines: string[] }
  | { question: string; answer: string }
  | { rows: (readonly [label: string, value: string])[] }
  | { url: string; label: string; look: "filled" | "outlined"; note?: string };

/** Content of a mail without layout. `preheader`: what lists of mails show beside the subject; default the first line. */
type MailContent = { subject: string; preheader?: string; parts: MailBlock[] };

/** Translation function and time formats of a language. `moment` begins with the day of the week. */
type Words = { t: i18n["t"]; time: (at: Date) => string; moment: (at: Date) => string };

/** Returns subject and body of a mail. */
export function contentOf(template: MailTemplate, occasion: Occasion, words: Words): MailContent {
  const { t, time } = words;
  const username = occasion.username ?? t("mail.yourAccount");
  const notice = (subject: string, body: string): MailContent => ({
    subject,
    preheader: preheaderOf(occasion, words),
    parts: [line(body), { rows: circumstancesOf(occasion, words) }, ...notYou(occasion, words)],
  });
  switch (template.name) {
    case "password-reset":
      return passwordReset(template.url, occasion, words);
    case "invitation":
      return invitation(template.url, occasion, words);
    case "password-changed":
      return notice(t("mail.passwordChanged.subject"), t("mail.passwordChanged.body", { username }));
    case "username-changed":
      return notice(t("mail.usernameChanged.subject"), usernameChangedText(template, occasion, words));
    case "email-change":
      return emailChange(template.url, occasion, words);
    case "email-change-refused":
      return emailChangeRefused(words);
    case "email-changed":
      return emailChanged(template, occasion, words);
    case "email-replaced":
      return emailReplaced(occasion, words);
    case "factor-added": {
      const factor = factorName(template.factor, t);
      return notice(t("mail.factorAdded.subject"), t("mail.factorAdded.body", { factor }));
    }
    case "factor-removed": {
      const factor = factorName(template.factor, t);
      return notice(t("mail.factorRemoved.subject"), t("mail.factorRemoved.body", { factor }));
    }
    case "factor-refused":
      return notice(t("mail.factorRefused.subject"), t("mail.factorRefused.body", { username }));
    case "mfa-reset":
      return factorReset(template, occasion, words);
    case "mfa-reset-done":
      return notice(t("mail.mfaResetDone.subject"), t("mail.mfaResetDone.body"));
    case "help-given":
      return notice(t("mail.helpGiven.subject"), helpGivenText(template, words));
    case "recovery-code-used":
      return notice(t("mail.recoveryCodeUsed.subject"), recoveryCodeUsedText(template, words));
    case "recovery-codes-made":
      return notice(t("mail.recoveryCodesMade.subject"), t("mail.recoveryCodesMade.body"));
    case "provider-connected": {
      const { provider } = template;
      const body = providerConnectedText(template, occasion, words);
      return notice(t("mail.providerConnected.subject", { provider }), body);
    }
    case "provider-disconnected": {
      const { provider } = template;
      const body = t("mail.providerDisconnected.body", { provider });
      return notice(t("mail.providerDisconnected.subject", { provider }), body);
    }
    case "new-browser":
      return notice(t("mail.newSignIn.subject"), t("mail.newSignIn.body"));
    case "new-browsers":
      return notice(t("mail.newSignIns.subject"), t("mail.newSignIns.body", { until: time(template.until) }));
    case "database-restored": {
      const { users: count, isComplete } = template;
      const lines = [t("mail.databaseRestored.body"), t("mail.databaseRestored.people", { count })];
      if (!isComplete) lines.push(t("mail.databaseRestored.unknown"));
      return { subject: t("mail.databaseRestored.subject"), parts: [...lines.map(line), whenOf(occasion, words)] };
    }
    case "backup-failed": {
      const { reason } = template;
      const lines = [t("mail.backupFailed.body"), reason, t("mail.backupFailed.advice")];
      return { subject: t("mail.backupFailed.subject"), parts: [...lines.map(line), whenOf(occasion, words)] };
    }
    case "sign-in-alarm": {
      const { failures, limit } = template;
      const lines = [t("mail.signInAlarm.body", { failures }), t("mail.signInAlarm.advice", { limit })];
      return { subject: t("mail.signInAlarm.subject"), parts: [...lines.map(line), whenOf(occasion, words)] };
    }
    case "test":
      return testMail(template.host, occasion, words);
  }
}

/** Returns the browser and time of a notice, and its question. */
function preheaderOf({ at, from }: Occasion, { t, time }: Words): string {
  const { name } = browserName(from?.userAgent ?? "");
  const browser = from === null || name === null ? [] : [browserText(from.userAgent, t)];
  return `${[...browser, time(at)].join(", ")}. ${t("mail.notMe.question")}`;
}

function notYou({ notMeUrl: url }: Occasion, { t }: Words): MailBlock[] {
  if (url === null) return [line(t("mail.notYou"))];
  const label = t("mail.notMe.action");
  return [
    { question: t("mail.notMe.question"), answer: t("mail.notMe.answer") },
    // Outlined: a hasty reader of a harmless notice presses the only coloured button, and is signed out everywhere.
    { url, label, look: "outlined", note: t("mail.notMe.note") },
  ];
}

function recoveryCodeUsedText({ left: count }: Extract<MailTemplate, { name: "recovery-code-used" }>, { t }: Words) {
  return count === 0 ? t("mail.recoveryCodeUsed.bodyNone") : t("mail.recoveryCodeUsed.body", { count });
}

function helpGivenText({ kind, by, until: end }: Extract<MailTemplate, { name: "help-given" }>, { t, time }: Words) {
  const until = time(end);
  return kind === "new-device"
    ? t("mail.helpGiven.newDevice", { by, until })
    : t("mail.helpGiven.newPassword", { by, until });
}

function usernameChangedText(
  { old, new: present }: Extract<MailTemplate, { name: "username-changed" }>,
  { username }: Occasion,
  { t }: Words,
): string {
  if (username === null) return t("mail.usernameChanged.bodyUnnamed");
  return t("mail.usernameChanged.body", { old, new: present });
}

function providerConnectedText(
  { provider, account: name }: Extract<MailTemplate, { name: "provider-connected" }>,
  { username }: Occasion,
  { t }: Words,
): string {
  if (username === null || name === "") return t("mail.providerConnected.bodyUnnamed", { provider });
  return t("mail.providerConnected.body", { provider, name });
}

function passwordReset(url: string, occasion: Occasion, { t }: Words): MailContent {
  const { username } = occasion;
  const minutes = minutesOf(occasion);
  const body =
    username === null
      ? t("mail.passwordReset.bodyUnnamed", { minutes })
      : t("mail.passwordReset.body", { username, minutes });
  return {
    subject: t("mail.passwordReset.subject"),
    parts: [
      line(body),
      { url, label: t("mail.passwordReset.action"), look: "filled" },
      line(t("mail.passwordReset.ignore")),
    ],
  };
}

function invitation(url: string, occasion: Occasion, { t, time }: Words): MailContent {
  const { username } = occasion;
  const until = time(occasion.until);
  const body =
    username === null ? t("mail.invitation.bodyUnnamed", { until }) : t("mail.invitation.body", { username, until });
  return {
    subject: t("mail.invitation.subject"),
    parts: [line(body), { url, label: t("mail.invitation.action"), look: "filled" }, line(t("mail.invitation.later"))],
  };
}

function factorReset(
  { url, worksFrom, stopUrl }: Extract<MailTemplate, { name: "mfa-reset" }>,
  occasion: Occasion,
  words: Words,
): MailContent {
  const { t, time } = words;
  const from = [t("mfaReset.window.from"), time(worksFrom)] as const;
  const until = [t("mfaReset.window.until"), time(occasion.until)] as const;
  return {
    subject: t("mail.mfaReset.subject"),
    preheader: preheaderOf(occasion, words),
    parts: [
      line(t("mail.mfaReset.body")),
      { rows: circumstancesOf(occasion, words) },
      { question: t("mail.mfaReset.question"), answer: t("mail.mfaReset.answer") },
      { url: stopUrl, label: t("mfaReset.stop.submit"), look: "filled", note: t("mail.mfaReset.stopped") },
      { rows: [from, until] },
      { url, label: t("mail.mfaReset.action"), look: "outlined", note: t("mfaReset.window.once") },
    ],
  };
}

function emailChange(url: string, { until }: Occasion, { t, time }: Words): MailContent {
  return {
    subject: t("mail.emailChange.subject"),
    parts: [
      line(t("mail.emailChange.body", { until: time(until) })),
      { url, label: t("mail.emailChange.action"), look: "filled" },
      line(t("mail.emailChange.ignore")),
    ],
  };
}

function emailChangeRefused({ t }: Words): MailContent {
  const lines = [t("mail.emailChangeRefused.body"), t("mail.emailChangeRefused.advice")];
  return { subject: t("mail.emailChangeRefused.subject"), parts: lines.map(line) };
}

function emailChanged(
  { url, until }: Extract<MailTemplate, { name: "email-changed" }>,
  occasion: Occasion,
  words: Words,
): MailContent {
  const { t, time } = words;
  const username = occasion.username ?? t("mail.yourAccount");
  const note = t("mail.emailChanged.note", { until: time(until) });
  return {
    subject: t("mail.emailChanged.subject"),
    preheader: preheaderOf(occasion, words),
    parts: [
      line(t("mail.emailChanged.body", { username })),
      { rows: circumstancesOf(occasion, words) },
      { question: t("mail.notMe.question"), answer: t("mail.notMe.answer") },
      // Outlined, as in other notices.
      { url, label: t("mail.emailChanged.action"), look: "outlined", note },
    ],
  };
}

function emailReplaced(occasion: Occasion, words: Words): MailContent {
  const { t } = words;
  const username = occasion.username ?? t("mail.yourAccount");
  const rows = circumstancesOf(occasion, words);
  return {
    subject: t("mail.emailChanged.subject"),
    parts: [line(t("mail.emailReplaced.body", { username })), { rows }, line(t("mail.emailReplaced.advice"))],
  };
}

function testMail(host: string, { at }: Occasion, { t, time }: Words): MailContent {
  return { subject: t("mail.test.subject"), parts: [line(t("mail.test.body", { time: time(at), host }))] };
}

function minutesOf({ at, until }: Occasion): number {
  return Math.round((until.getTime() - at.getTime()) / MINUTE_MS);
}

function whenOf({ at }: Occasion, { t, moment }: Words): MailBlock {
  return { rows: [[t("mail.label.time"), moment(at)]] };
}

function circumstancesOf({ at, from, application, username }: Occasion, { t, moment }: Words) {
  const time = [t("mail.label.time"), moment(at)] as const;
  const browser = from && ([t("mail.label.browser"), browserText(from.userAgent, t)] as const);
  const address = from && ([t("mail.label.address"), from.address] as const);
  const client = application === null ? null : ([t("mail.label.application"), application] as const);
  const account = username === null ? null : ([t("mail.label.account"), username] as const);
  return [time, browser, address, client, account].filter((row) => row !== null);
}

function browserText(userAgent: string, t: i18n["t"]): string {
  const { name, system } = browserName(userAgent);
  if (name === null) return t("mail.browser.unknown");
  return system === null ? name : t("mail.browser.onSystem", { name, system });
}

const FACTOR_TEXTS = {
  totp: "mail.factor.totp",
  "security key": "mail.factor.securityKey",
  passkey: "mail.factor.passkey",
} as const satisfies Record<MailedFactor, string>;

function factorName(factor: MailedFactor, t: i18n["t"]): string {
  return t(FACTOR_TEXTS[factor]);
}

function line(text: string): MailBlock {
  return { lines: [text] };
}
