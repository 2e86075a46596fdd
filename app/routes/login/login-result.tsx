import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginResult } from "#app/ui/page-state.ts";
import { providerName } from "#app/ui/provider-name.ts";

type LoginResultScreenProps = {
  result: LoginResult;
  client: ClientLabel | null;
  /** Of the request that can still be answered; "" without one. */
  challenge: string;
  provider?: Provider | undefined;
};

/** How a sign-in ended that cannot go on from here: already used up, or failed at a provider. */
export function LoginResultScreen({ result, client, ...failure }: LoginResultScreenProps): ReactNode {
  const { t } = useTranslation();
  if (result.status === "failed") return <FailedSignIn result={result} client={client} {...failure} />;
  return (
    <Page title={t("loginResult.success.heading")} client={client}>
      <ButtonLink href={result.to_app_url}>
        {client ? t("loginResult.success.action", { client: client.name }) : t("common.toApp")}
      </ButtonLink>
    </Page>
  );
}

function FailedSignIn({ result, client, challenge, provider }: LoginResultScreenProps): ReactNode {
  const { t } = useTranslation();
  const form = `/login/native?${new URLSearchParams({ login_challenge: challenge, proceed: "0" })}`;
  return (
    <Page title={t("loginResult.failure.heading")} tone="error" client={client}>
      <Alert kind="error" code={result.code ?? result.status} word={t("common.errorSummaryTitle")}>
        <p>{provider ? t(TEXTS[wordOf(result)], { provider: providerName(provider) }) : t(TEXTS.lost)}</p>
      </Alert>
      <div className="actions">
        {challenge ? <ButtonLink href={form}>{t("loginResult.failure.again")}</ButtonLink> : null}
        <ButtonLink href={result.to_app_url} quiet={challenge !== ""}>
          {t("common.toApp")}
        </ButtonLink>
      </div>
    </Page>
  );
}

const TEXTS = {
  failed: "login.error.providerFailed",
  lost: "loginResult.failure.description",
} as const;

function wordOf({ code }: LoginResult): keyof typeof TEXTS {
  return code === "provider failed" ? "failed" : "lost";
}
