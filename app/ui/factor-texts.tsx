import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NUMBER_MARK } from "#app/client/attributes.ts";
import { ScriptTexts } from "./script-texts.tsx";

type FactorTextsProps = {
  /** Where the page can be had anew, and what the link says instead of that the sign-in starts again. */
  restartHref: string;
  restart?: string;
  /** What this page's own part of the script says. */
  texts: Readonly<Record<string, string>>;
};

/** What the script of the step shows without loading the page again: it knows no language of its own. */
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

/** Sentences with a number that only the script knows. Of the languages' two forms the first is for one. */
function counted(t: TFunction): Record<string, string> {
  const replace = { count: NUMBER_MARK };
  return {
    "throttled-one": t("mfaLogin.error.rateLimited", { count: 1, replace }),
    "throttled-other": t("mfaLogin.error.rateLimited", { count: 2, replace }),
    "clock-ahead": t("mfaLogin.error.clockAhead", { count: 2, replace }),
    "clock-behind": t("mfaLogin.error.clockBehind", { count: 2, replace }),
  };
}
