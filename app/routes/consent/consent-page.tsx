import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { ConsentState } from "#app/ui/page-state.ts";
import { RestartForm } from "#app/ui/restart-form.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { ConsentAnswers } from "./consent-buttons.tsx";
import { ScopeList } from "./scope-list.tsx";

export type ConsentScreenProps = {
  state: ConsentState;
  client: ClientLabel | null;
  /** Display name of the signed-in account, where there is one. */
  accountName: string | null;
  /** Host that the answer goes to, where it is known. */
  redirectHost: string | null;
  /** The way back into the suite, for pages that know no application. */
  appUrl: string;
  /** For a request that can be started again: its challenge. */
  restartChallenge?: string | null;
};

/** The page of the settings where the user withdraws consents, opened from the browser. */
const APPLICATIONS = "/manage/open?to=/manage/applications";

/** The page at /consent and below it, in each of its states. */
export function ConsentScreen(props: ConsentScreenProps): ReactNode {
  const view = consentView(props.state);
  if (view === "challenge") return <ConsentGone {...props} />;
  if (view === "rejected") return <ConsentRejected {...props} />;
  if (view === "question") return <ConsentQuestion {...props} />;
  return <ConsentRefused {...props} texts={REFUSED[view]} showsScopes={view === "generic"} />;
}

type ConsentView = "question" | keyof typeof REFUSED | "challenge" | "rejected";

function consentView({ status, error, client }: ConsentState): ConsentView {
  if (status === "rejected") return "rejected";
  if (error === "challenge" || client === null) return "challenge";
  if (error === undefined || error === "xsrf") return "question";
  return error === "invalid-scope-requested" ? "invalidScope" : "generic";
}

function ConsentQuestion({ state, client, accountName, redirectHost }: ConsentScreenProps): ReactNode {
  const { t } = useTranslation();
  const name = state.client?.name ?? "";
  return (
    <Page
      title={t("consent.heading", { client: name })}
      lead={accountName && <Emphasis text={t("consent.account", { name: accountName })} part={accountName} />}
      before={state.error ? <ErrorSummary code={state.error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
      wide
    >
      <RequestedScopes state={state} name={name} />
      <p className="note">
        {redirectHost ? (
          <Emphasis text={t("consent.redirectNotice", { host: redirectHost })} part={redirectHost} />
        ) : null}{" "}
        {state.client?.policy_uri ? (
          <a href={state.client.policy_uri}>{t("consent.policy", { client: name })}</a>
        ) : null}
      </p>
      <p className="note">
        {t("consent.revokeHint")} <a href={APPLICATIONS}>{t("consent.revokeAction")}</a>
      </p>
      <ConsentAnswers state={state} canAllow />
    </Page>
  );
}

function RequestedScopes({ state, name }: { state: ConsentState; name: string }): ReactNode {
  const { t } = useTranslation();
  if (state.scopes.length === 0) return <p>{t("consent.noScopes")}</p>;
  return (
    <section className="flow flow-close" aria-labelledby="scopes">
      <h2 id="scopes">{t("consent.scopesHeading", { client: name })}</h2>
      <ScopeList ids={state.scopes.map(({ id }) => id)} />
    </section>
  );
}

const REFUSED = {
  generic: {
    heading: "consent.error.generic.heading",
    quote: "consent.error.generic.quote",
    description: "consent.error.generic.description",
  },
  invalidScope: {
    heading: "consent.error.invalidScope.heading",
    quote: "consent.error.invalidScope.quote",
    description: "consent.error.invalidScope.description",
  },
} as const;

type ConsentRefusedProps = ConsentScreenProps & {
  texts: (typeof REFUSED)[keyof typeof REFUSED];
  showsScopes: boolean;
};

/** Nothing can be allowed here; rejecting leads back to the application. */
function ConsentRefused({ state, client, texts, showsScopes }: ConsentRefusedProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t(texts.heading)} tone="error" client={client} wide>
      <Alert kind="error" code={state.error ?? "error"} word={t(texts.quote)}>
        <p>{t(texts.description)}</p>
      </Alert>
      {showsScopes ? <RequestedScopes state={state} name={state.client?.name ?? ""} /> : null}
      <ConsentAnswers state={state} canAllow={false} />
    </Page>
  );
}

function ConsentGone({ state, appUrl, restartChallenge }: ConsentScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page title={t("consent.error.challenge.heading")} tone="error">
      <Alert kind="error" code="challenge" word={t("consent.error.generic.quote")}>
        <p>{t(restartChallenge ? "login.error.challengeExpired" : "consent.error.challenge.description")}</p>
      </Alert>
      {restartChallenge ? (
        <RestartForm page="consent" challenge={restartChallenge} xsrf={state.xsrf_token} />
      ) : (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      )}
    </Page>
  );
}

function ConsentRejected({ state, client, appUrl }: ConsentScreenProps): ReactNode {
  const { t } = useTranslation();
  const name = state.client?.name ?? null;
  return (
    <Page
      title={t("consent.result.rejected.heading")}
      lead={name && t("consent.result.rejected.description", { client: name })}
      client={client}
    >
      <ButtonLink href={client?.uri ?? appUrl}>
        {client?.uri ? t("consent.backToClient", { client: client.name }) : t("common.toApp")}
      </ButtonLink>
    </Page>
  );
}

export function consentTitle(t: TFunction, state: ConsentState): string {
  return pageTitle(t, t("consent.title"), state.error !== undefined || consentView(state) === "challenge");
}
