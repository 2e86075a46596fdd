import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** What is wrong with a field, with the word "Error" for those who do not see the red bar. */
export function FieldError({ field, text }: { field: string; text: string | undefined }): ReactNode {
  const { t } = useTranslation();
  if (!text) return null;
  return (
    <p className="field-error" id={fieldErrorId(field)}>
      <span className="visually-hidden">{t("common.errorTitlePrefix")}</span> {text}
    </p>
  );
}

export function fieldErrorId(field: string): string {
  return `${field}-error`;
}
