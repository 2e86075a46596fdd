import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import { pageTitle } from "#app/ui/title.ts";

export type FrontScreenProps = { appUrl: string };

/** The page at / for a browser without a session: links to the application and to the settings. */
export function FrontScreen({ appUrl }: FrontScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("front.heading")} lead={t("front.description")}>
      <div className="actions">
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
        <ButtonLink href="/manage/open" quiet>
          {t("manageError.open")}
        </ButtonLink>
      </div>
    </Page>
  );
}

export function frontTitle(t: TFunction): string {
  return pageTitle(t, t("front.heading"));
}
