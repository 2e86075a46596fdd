import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "./copy-button.tsx";
import { Notice } from "./notice.tsx";

type NewRecoveryCodesProps = {
  /** Formatted in groups. */
  codes: readonly string[];
  /** The lines above the printed or saved codes: user, product and date. */
  title: string;
};

const CODES_ID = "codes";

/**
 * Newly created recovery codes. The client script adds buttons to print, copy and save them. Printed from the browser's
 * menu, the page contains only the codes.
 */
export function NewRecoveryCodes({ codes, title }: NewRecoveryCodesProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <p className="only-print">{title}</p>
      <Notice kind="attention">
        <p>{t("recovery.onlyOnce")}</p>
      </Notice>
      <ul className="codes" id={CODES_ID} translate="no">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="tools">
        <print-page label={t("recovery.print")}>
          <p className="no-script note">{t("recovery.printHint")}</p>
        </print-page>
        <CopyButton text={codes.join("\n")} shownIn={CODES_ID} done={t("common.copied")}>
          {t("recovery.copy")}
        </CopyButton>
        <save-text
          label={t("recovery.download")}
          text={`${[t("recovery.heading"), title, "", ...codes].join("\n")}\n`}
          file-name={t("recovery.fileName")}
        />
      </div>
    </>
  );
}
