import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button-link.tsx";
import { useDocumentContext } from "./document-context.tsx";

/**
 * The next steps of a page that ends without one of its own: to the application, or to the start page. Without a start
 * page, to the login settings.
 */
export function AppOrSettings({ appUrl }: { appUrl: string }): ReactNode {
  const { t } = useTranslation();
  const { hasStartPage } = useDocumentContext();
  return (
    <div className="actions">
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <ButtonLink href={hasStartPage ? "/" : "/manage/open"} quiet>
        {t(hasStartPage ? "common.toStart" : "manageError.open")}
      </ButtonLink>
    </div>
  );
}
