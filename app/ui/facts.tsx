import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Emphasis } from "./emphasis.tsx";

type FactsProps = {
  code: string | number | null;
  /** The id that stands in the log, too. */
  reference: string;
  children?: ReactNode;
};

/** The small print that support can be told. */
export function Facts({ code, reference, children }: FactsProps): ReactNode {
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
