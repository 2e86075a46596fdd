import type { HTMLAttributes, ReactNode } from "react";
import { useTranslation } from "react-i18next";

type NoticeProps = HTMLAttributes<HTMLDivElement> & { kind: "info" | "attention"; word?: string; children: ReactNode };

/** Permanent information on a page. Use Alert for something that has just happened. */
export function Notice({ kind, word, children, ...rest }: NoticeProps): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="alert" data-kind={kind} {...rest}>
      <p className="word">{word ?? t("common.infoTitle")}</p>
      {children}
    </div>
  );
}
