import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** The error of a field, with the word "Error" for screen readers. */
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
