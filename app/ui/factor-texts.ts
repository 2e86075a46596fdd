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

/** Returns the texts of `<security-key>` alone, including one per `DOMException` name. */
export function keyTexts(t: TFunction): Record<string, string> {
  return {
    waiting: t("mfaLogin.fido2.waiting"),
    verifying: t("manageFido2.verifying"),
    retry: t("common.retry"),
    network: t("mfaLogin.error.network"),
    cancelled: t("webauthn.error.notAllowed"),
    NotSupportedError: t("webauthn.error.notSupported"),
    SecurityError: t("webauthn.error.security"),
    unavailable: t("webauthn.error.security"),
    verification: t("webauthn.error.verification"),
    generic: t("webauthn.error.generic"),
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
