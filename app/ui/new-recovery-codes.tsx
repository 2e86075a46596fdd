import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PRINT, SAVE, SAVE_NAME } from "#app/client/attributes.ts";
import { CopyButton } from "./copy-button.tsx";
import { Notice } from "./notice.tsx";

type NewRecoveryCodesProps = {
  /** Formatted in groups. */
  codes: readonly string[];
  /** Heading of the printed or saved codes: user, product and date. */
  title: string;
};

const CODES_ID = "codes";

/** Newly created recovery codes, with buttons to print, copy and save them. */
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
        <PrintButton>{t("recovery.print")}</PrintButton>
        <CopyButton id="copy-codes" text={codes.join("\n")} shownIn={CODES_ID} done={t("common.copied")}>
          {t("recovery.copy")}
        </CopyButton>
        <SaveButton text={`${[title, "", ...codes].join("\n")}\n`} fileName={t("recovery.fileName")}>
          {t("recovery.download")}
        </SaveButton>
      </div>
    </>
  );
}

/** Prints the page. Hidden until the client script reveals it. */
function PrintButton({ children }: { children: ReactNode }): ReactNode {
  return (
    <button className="button quiet" type="button" hidden {...{ [PRINT]: "" }}>
      {children}
    </button>
  );
}

type SaveButtonProps = { text: string; fileName: string; children: ReactNode };

/** Saves a text as a file, without a request. Hidden until the client script reveals it. */
function SaveButton({ text, fileName, children }: SaveButtonProps): ReactNode {
  return (
    <button className="button quiet" type="button" hidden {...{ [SAVE]: text, [SAVE_NAME]: fileName }}>
      {children}
    </button>
  );
}
