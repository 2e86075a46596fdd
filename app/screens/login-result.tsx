import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/components/alert.tsx";
import { ButtonLink } from "#app/components/button-link.tsx";
import type { ClientLabel } from "#app/components/page.tsx";
import { Page } from "#app/components/page.tsx";
import type { LoginResult } from "./page-state.ts";

/** How a sign-in ended that cannot go on from here: already used up, or failed at a provider. */
export function LoginResultScreen({ result, client }: { result: LoginResult; client: ClientLabel | null }): ReactNode {
  const { t } = useTranslation();
  if (result.status === "failed") {
    return (
      <Page title={t("loginResult.failure.heading")} tone="error" client={client}>
        <Alert kind="error" code={result.code ?? result.status} word={t("common.errorSummaryTitle")}>
          <p>{t("loginResult.failure.description")}</p>
        </Alert>
        <ButtonLink href={result.to_app_url}>{t("common.toApp")}</ButtonLink>
      </Page>
    );
  }
  return (
    <Page title={t("loginResult.success.heading")} client={client}>
      <ButtonLink href={result.to_app_url}>
        {client ? t("loginResult.success.action", { client: client.name }) : t("common.toApp")}
      </ButtonLink>
    </Page>
  );
}
