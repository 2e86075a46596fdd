import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useDocumentContext } from "./document-context.tsx";
import { Emphasis } from "./emphasis.tsx";

type SupportDetailsProps = {
  code: string | number | null;
  /** The request id, which is also in the log. */
  reference: string;
  children?: ReactNode;
};

/** The reference id of a page that reports a technical error. */
export function Reference(): ReactNode {
  return <SupportDetails code={null} reference={useDocumentContext().requestId} />;
}

/** Error code and reference id for support. */
export function SupportDetails({ code, reference, children }: SupportDetailsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="facts">
      {code === null ? null : <p>{t("common.errorCode", { code })}</p>}
      <p>
        <Emphasis text={t("common.requestId", { id: reference })} part={reference} as="code" />
      </p>
      {children}
    </div>
  );
}
