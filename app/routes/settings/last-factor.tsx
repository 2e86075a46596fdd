import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "#app/ui/notice.tsx";

/** Says what it means to remove the only second factor. */
export function LastFactor(): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="attention">
      <p>{t("manageFactor.last")}</p>
    </Notice>
  );
}
