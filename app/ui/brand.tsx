import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useLogoUrl } from "./document-context.tsx";

/** The office's logo, or the product's mark, and the name. The name is a default variable of the i18n instance. */
export function Brand(): ReactNode {
  const { t } = useTranslation();
  const logoUrl = useLogoUrl();
  return (
    <p className="brand">
      {logoUrl === null ? <ProductMark /> : <img src={logoUrl} alt="" />}
      <b>{t("common.productName")}</b>
    </p>
  );
}

function ProductMark(): ReactNode {
  return (
    <svg viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
      <path d="M1 2h4v3h3V2h4v3h3V2h4v16h-5.5v-4.5a3.5 3.5 0 0 0-7 0V18H1z" />
    </svg>
  );
}
