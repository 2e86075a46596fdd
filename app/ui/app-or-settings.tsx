import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "./button-link.tsx";

/** The next steps of a page that ends without one of its own: to the application, or to the login settings. */
export function AppOrSettings({ appUrl }: { appUrl: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="actions">
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <ButtonLink href="/manage/open" quiet>
        {t("manageError.open")}
      </ButtonLink>
    </div>
  );
}
