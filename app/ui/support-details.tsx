import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Emphasis } from "./emphasis.tsx";

type SupportDetailsProps = {
  code: string | number | null;
  /** The request id, which is also in the log. */
  reference: string;
  children?: ReactNode;
};

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
