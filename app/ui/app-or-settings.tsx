import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button-link.tsx";
import { useDocumentContext } from "./document-context.tsx";

/**
 * The next steps of a page that ends without one of its own: to the application, or to the start page. Without a start
 * page, to the login settings. APP_URL may be `/` itself, which one link opens then.
 */
export function AppOrSettings({ appUrl }: { appUrl: string }): ReactNode {
  const { t } = useTranslation();
  const { hasStartPage, isAppFrontPage = false } = useDocumentContext();
  return (
    <div className="actions">
      {isAppFrontPage ? null : <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>}
      <ButtonLink href={hasStartPage ? "/" : "/manage/open"} quiet={!isAppFrontPage}>
        {t(hasStartPage ? "common.toStart" : "manageError.open")}
      </ButtonLink>
    </div>
  );
}
