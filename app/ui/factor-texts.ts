import type { TFunction } from "i18next";
import { NUMBER_MARK } from "#app/client/texts.ts";
import { REGISTRATION_TIMEOUT_MS } from "#app/domain/webauthn/options.ts";

type FactorTexts = {
  /** URL that loads the page again, and the text of its link; the default is that of restarting the sign-in. */
  restartHref: string;
  restart?: string;
  /** Additional texts of the page. */
  texts: Readonly<Record<string, string>>;
};

/** Returns the attribute `texts` of the elements `<code-entry>` and `<security-key>`, which show errors. */
export function factorTexts(t: TFunction, { restartHref, restart, texts }: FactorTexts): string {
  return JSON.stringify({
    summary: t("common.errorSummaryTitle"),
    restart: restart ?? t("login.error.challengeRestart"),
    restartHref,
    errorPrefix: t("common.errorTitlePrefix"),
    expired: t("mfaLogin.error.expired"),
    ...countedTexts(t),
    ...texts,
  });
}

/** Text keys of a security key. */
const KEY_TEXTS = {
  waiting: "mfaLogin.fido2.waiting",
  verifying: "manageFido2.verifying",
  success: "mfaLogin.fido2.success",
  notSupported: "webauthn.error.notSupported",
  security: "webauthn.error.security",
  unknownKey: "webauthn.error.unknownKey",
  counter: "webauthn.error.counter",
  verification: "webauthn.error.verification",
  generic: "webauthn.error.generic",
} as const;

/** The same of a second step that accepts a passkey, too. */
const PASSKEY_OR_KEY_TEXTS = {
  waiting: "mfaLogin.passkeyOrKey.waiting",
  verifying: "webauthn.passkeyOrKey.verifying",
  success: "mfaLogin.passkeyOrKey.success",
  notSupported: "webauthn.passkeyOrKey.notSupported",
  security: "webauthn.passkeyOrKey.security",
  unknownKey: "webauthn.passkeyOrKey.unknownKey",
  counter: "webauthn.passkeyOrKey.counter",
  verification: "webauthn.passkeyOrKey.verification",
  generic: "webauthn.passkeyOrKey.generic",
} as const satisfies Record<keyof typeof KEY_TEXTS, string>;

/** `hasPasskeys`: the user can give a passkey in place of a security key. */
export type AcceptedCredentials = { hasPasskeys?: boolean | undefined };

/** Returns a text about the credential that the second step asks for. */
export function keyText(t: TFunction, name: keyof typeof KEY_TEXTS, { hasPasskeys }: AcceptedCredentials): string {
  return t((hasPasskeys ? PASSKEY_OR_KEY_TEXTS : KEY_TEXTS)[name]);
}

/** Returns the texts of `<security-key>` alone, including one per `DOMException` name. */
export function keyTexts(t: TFunction, accepted: AcceptedCredentials = {}): Record<string, string> {
  return {
    waiting: keyText(t, "waiting", accepted),
    verifying: keyText(t, "verifying", accepted),
    retry: t("common.retry"),
    network: t("mfaLogin.error.network"),
    cancelled: t("webauthn.error.notAllowed"),
    NotSupportedError: keyText(t, "notSupported", accepted),
    SecurityError: keyText(t, "security", accepted),
    unavailable: keyText(t, "security", accepted),
    verification: keyText(t, "verification", accepted),
    generic: keyText(t, "generic", accepted),
    ...secondsTexts(t),
  };
}

/** Returns the countdown's sentence for each plural form that its numbers have, and the locale of these forms. */
function secondsTexts(t: TFunction): Record<string, string> {
  const locale = t("common.dateLocale");
  const plurals = new Intl.PluralRules(locale);
  const texts: Record<string, string> = { locale };
  for (let count = 1; count <= REGISTRATION_TIMEOUT_MS / 1000; count += 1) {
    texts[`seconds-${plurals.select(count)}`] ??= t("mfaLogin.fido2.timeHint", {
      count,
      replace: { count: NUMBER_MARK },
    });
  }
  return texts;
}

/** Returns sentences whose number is inserted by the script; `one` is the singular form. */
function countedTexts(t: TFunction): Record<string, string> {
  const replace = { count: NUMBER_MARK };
  return {
    "throttled-one": t("mfaLogin.error.rateLimited", { count: 1, replace }),
    "throttled-other": t("mfaLogin.error.rateLimited", { count: 2, replace }),
    "clock-ahead": t("mfaLogin.error.clockAhead", { count: 2, replace }),
    "clock-behind": t("mfaLogin.error.clockBehind", { count: 2, replace }),
  };
}
