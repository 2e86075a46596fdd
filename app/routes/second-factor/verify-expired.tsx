import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorPageProps } from "./page.tsx";

/** The sign-in that the step belongs to is over. Nothing of it is shown; the same request can start again. */
export function SecondFactorExpired({ state, client }: Pick<SecondFactorPageProps, "state" | "client">): ReactNode {
  const { t } = useTranslation();
  const restart = `/login?${new URLSearchParams({ login_challenge: state.loginChallenge })}`;
  return (
    <Page
      title={t("mfaLogin.heading")}
      before={
        <Alert kind="error" code={state.error ?? "unauthorized"} word={t("common.errorSummaryTitle")}>
          <p>{t("mfaLogin.error.expired")}</p>
        </Alert>
      }
      tone="error"
      client={client}
    >
      <ButtonLink href={restart}>{t("login.error.challengeRestart")}</ButtonLink>
    </Page>
  );
}
