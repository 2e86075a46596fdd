import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { pageTitle } from "#app/ui/title.ts";

/** `openUrl`: leads through the sign-in, and on to the page that wanted the proof. */
export type ConfirmScreenProps = { openUrl: string };

/** The page at /manage/confirm: a change needs a proof of identity that is not old. */
export function ConfirmScreen({ openUrl }: ConfirmScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsPage title={t("manageConfirm.heading")} lead={t("manageConfirm.description")} tone="attention">
      <div className="actions">
        <ButtonLink href={openUrl}>{t("manageConfirm.submit")}</ButtonLink>
        <LineLink to="/manage">{t("manageError.back")}</LineLink>
      </div>
    </SettingsPage>
  );
}

export function confirmTitle(t: TFunction): string {
  return pageTitle(t, t("manageConfirm.title"));
}
