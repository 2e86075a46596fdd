import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "./copy-button.tsx";
import { useDocumentContext } from "./document-context.tsx";
import { Emphasis } from "./emphasis.tsx";
import { SupportContact } from "./support-contact.tsx";

const REFERENCE_ID = "reference";

type SupportDetailsProps = {
  code: string | number | null;
  /** The request id, which is also in the log. */
  reference: string;
};

/** The reference id of an error or status page, and whom to ask. */
export function Reference(): ReactNode {
  return <SupportDetails code={null} reference={useDocumentContext().requestId} />;
}

/** Error code and reference id for support, and whom to give them to. */
export function SupportDetails({ code, reference }: SupportDetailsProps): ReactNode {
  const { t } = useTranslation();
  const { supportContact } = useDocumentContext();
  return (
    <div className="facts">
      {code === null ? null : <p>{t("common.errorCode", { code })}</p>}
      <p id={REFERENCE_ID}>
        <Emphasis text={t("common.requestId", { id: reference })} part={reference} as="code" />
      </p>
      <p>{supportContact === null ? t("common.supportUnknown") : <SupportSentence contact={supportContact} />}</p>
      <CopyButton text={reference} shownIn={REFERENCE_ID} done={t("common.copied")}>
        {t("common.copyReference")}
      </CopyButton>
    </div>
  );
}

function SupportSentence({ contact }: { contact: string }): ReactNode {
  const { t } = useTranslation();
  const text = t("common.supportAt", { contact });
  const start = text.indexOf(contact);
  return (
    <>
      {text.slice(0, start)}
      <SupportContact text={contact} />
      {text.slice(start + contact.length)}
    </>
  );
}
