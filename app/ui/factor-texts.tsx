import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NUMBER_MARK } from "#app/client/attributes.ts";
import { ScriptTexts } from "./script-texts.tsx";

type FactorTextsProps = {
  /** URL that loads the page again, and the text of its link; the default is that of restarting the sign-in. */
  restartHref: string;
  restart?: string;
  /** Additional texts for the script of this page. */
  texts: Readonly<Record<string, string>>;
};

/** Texts that the second-factor script shows without reloading the page. */
export function FactorTexts({ restartHref, restart, texts }: FactorTextsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <ScriptTexts
      texts={{
        summary: t("common.errorSummaryTitle"),
        restart: restart ?? t("login.error.challengeRestart"),
        restartHref,
        errorPrefix: t("common.errorTitlePrefix"),
        expired: t("mfaLogin.error.expired"),
        ...counted(t),
        ...texts,
      }}
    />
  );
}

/** Sentences whose number is inserted by the script; `one` is the singular form. */
function counted(t: TFunction): Record<string, string> {
  const replace = { count: NUMBER_MARK };
  return {
    "throttled-one": t("mfaLogin.error.rateLimited", { count: 1, replace }),
    "throttled-other": t("mfaLogin.error.rateLimited", { count: 2, replace }),
    "clock-ahead": t("mfaLogin.error.clockAhead", { count: 2, replace }),
    "clock-behind": t("mfaLogin.error.clockBehind", { count: 2, replace }),
  };
}
