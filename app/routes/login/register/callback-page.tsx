import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type RegisterCallbackScreenProps = {
  /** `error-token`; any other status is a technical error. */
  state: StatusState;
  appUrl: string;
};

/** The page at /register/callback, where a registration leads that cannot go on. */
export function RegisterCallbackScreen({ state, appUrl }: RegisterCallbackScreenProps): ReactNode {
  const { t } = useTranslation();
  const isExpired = state.status === "error-token";
  return (
    <Page title={t("register.callback.heading")} tone="error">
      {isExpired ? (
        <Alert kind="error" code="error-token" word={t("register.callback.expired.title")}>
          <p>{t("register.callback.expired.description")}</p>
        </Alert>
      ) : (
        <Alert kind="error" code="error" word={t("register.callback.technical.title")}>
          <p>{t("register.callback.technical.description")}</p>
        </Alert>
      )}
      <ButtonLink href={appUrl}>{t("register.callback.toApp")}</ButtonLink>
    </Page>
  );
}

export function registerCallbackTitle(t: TFunction): string {
  return pageTitle(t, t("register.callback.title"), true);
}
