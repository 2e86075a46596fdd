import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import type { WayLeft } from "#app/domain/external-account/way-left.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { providerName } from "#app/ui/provider-name.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type ProviderScreenProps = {
  state: SettingsFormState;
  provider: Provider;
  isConnected: boolean;
  /** What the person can sign in with beside it. */
  wayLeft: WayLeft;
  /** Leaving for the provider: its address. */
  away: string | null;
};

/** Connects an account at a provider, or asks whether it shall be disconnected. */
export function ProviderScreen({ state, provider, isConnected, wayLeft, away }: ProviderScreenProps): ReactNode {
  const { t } = useTranslation();
  const name = providerName(provider);
  if (away !== null) {
    return (
      <SettingsPage title={t("manage.providers.connecting", { provider: name })}>
        <ButtonLink href={away}>{t("common.continue")}</ButtonLink>
      </SettingsPage>
    );
  }
  const texts = isConnected ? QUESTIONS.disconnect : QUESTIONS.connect;
  return (
    <SettingsPage
      title={t(texts.heading, { provider: name })}
      // What it would say is what the error says.
      lead={state.error === "last sign-in method" ? null : t(texts.lead[wayLeft], { provider: name })}
      before={state.error ? <Refusal code={state.error} name={name} /> : null}
      tone={state.error ? "error" : "normal"}
    >
      <form className="actions" method="post" action={`/manage/oauth/${provider}`}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="intent" value={isConnected ? "disconnect" : "connect"} />
        {isConnected ? <input type="hidden" name="confirm" value="1" /> : null}
        <Submit danger={isConnected} busy={t(texts.busy, { provider: name })}>
          {t(texts.submit, { provider: name })}
        </Submit>
      </form>
      <LineLink to="/manage">{t("common.cancel")}</LineLink>
    </SettingsPage>
  );
}

function Refusal({ code, name }: { code: string; name: string }): ReactNode {
  const { t } = useTranslation();
  const text = code === "last sign-in method" ? "manage.providers.error.last" : "common.formExpired";
  return (
    <Alert kind="error" code={code} word={t("common.errorSummaryTitle")}>
      <p>{t(text, { provider: name })}</p>
    </Alert>
  );
}

const QUESTIONS = {
  connect: {
    heading: "manage.providers.connect",
    lead: {
      password: "manage.providers.connectHint",
      "other provider": "manage.providers.connectHint",
      none: "manage.providers.connectHint",
    },
    submit: "manage.providers.connect",
    busy: "manage.providers.connecting",
  },
  disconnect: {
    heading: "manage.providers.confirm.heading",
    lead: {
      password: "manage.providers.confirm.description",
      "other provider": "manage.providers.confirm.withoutPassword",
      none: "manage.providers.error.last",
    },
    submit: "manage.providers.disconnect",
    busy: "manage.providers.disconnecting",
  },
} as const;

export function providerTitle(t: TFunction, props: Pick<ProviderScreenProps, "state" | "provider" | "isConnected">) {
  const { heading } = props.isConnected ? QUESTIONS.disconnect : QUESTIONS.connect;
  return pageTitle(t, t(heading, { provider: providerName(props.provider) }), props.state.error !== undefined);
}
