import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type LinkWindowTextsProps = {
  /** When the link begins to work; null for one that works at once. */
  from: string | null;
  until: string;
};

/** The period in which a link works: both times, one below the other. */
export function LinkWindowTexts({ from, until }: LinkWindowTextsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <dl className="details">
      {from === null ? null : (
        <>
          <dt>{t("mfaReset.window.from")}</dt>
          <dd translate="no">{from}</dd>
        </>
      )}
      <dt>{t("mfaReset.window.until")}</dt>
      <dd translate="no">{until}</dd>
    </dl>
  );
}
