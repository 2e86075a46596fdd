import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { ConsentState } from "#app/ui/page-state.ts";
import { RestartForm } from "#app/ui/restart-form.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { ScopeList } from "./scope-list.tsx";

export type ConsentPageProps = {
  state: ConsentState;
  client: ClientLabel | null;
  /** Display name of the signed-in user; null without a session. */
  accountName: string | null;
  /** Host of the redirect URI; null if the request is unknown. */
  redirectHost: string | null;
  appUrl: string;
  /** The challenge of a request that can be started again. */
  restartChallenge?: string | null;
};

/** The page of the settings where the user withdraws consents. */
const APPLICATIONS = "/manage/open?to=/manage/applications";

/** The page of /consent, /consent/accept and /consent/reject in each of its states. */
export function ConsentPage(props: ConsentPageProps): ReactNode {
  const content = contentOf(props.state);
  if (content === "challenge") return <ConsentExpired {...props} />;
  if (content === "rejected") return <ConsentRejected {...props} />;
  if (content === "question") return <ConsentQuestion {...props} />;
  return <ConsentError {...props} texts={ERROR_TEXTS[content]} showsScopes={content === "generic"} />;
}

export function consentTitle(t: TFunction, state: ConsentState): string {
  return pageTitle(t, t("consent.title"), state.error !== undefined || contentOf(state) === "challenge");
}

type Content = "question" | keyof typeof ERROR_TEXTS | "challenge" | "rejected";

function contentOf({ status, error, client }: ConsentState): Content {
  if (status === "rejected") return "rejected";
  if (error === "challenge" || client === null) return "challenge";
  if (error === undefined || error === "xsrf") return "question";
  return error === "invalid-scope-requested" ? "invalidScope" : "generic";
}

function ConsentQuestion({ state, client, accountName, redirectHost }: ConsentPageProps): ReactNode {
  const { t } = useTranslation();
  const name = state.client?.name ?? "";
  return (
    <Page
      title={t("consent.heading", { client: name })}
      lead={accountName && <Emphasis text={t("consent.account", { name: accountName })} part={accountName} />}
      before={<ExpiredFormSummary code={state.error} />}
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
      <ConsentButtons state={state} canAllow />
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

/** The buttons "Allow" and "Reject". "Reject" is a link if the state contains the redirect URI, else a form. */
function ConsentButtons({ state, canAllow }: { state: ConsentState; canAllow: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={canAllow ? "actions actions-even" : "actions"}>
      {canAllow ? (
        <DecisionForm state={state} action="/consent/accept">
          <Submit>{t("consent.allow")}</Submit>
        </DecisionForm>
      ) : null}
      {state.redirect_uri ? (
        <ButtonLink href={state.redirect_uri} quiet>
          {t("consent.reject")}
        </ButtonLink>
      ) : (
        <DecisionForm state={state} action="/consent/reject">
          <Submit quiet>{t("consent.reject")}</Submit>
        </DecisionForm>
      )}
    </div>
  );
}

type DecisionFormProps = { state: ConsentState; action: "/consent/accept" | "/consent/reject"; children: ReactNode };

function DecisionForm({ state, action, children }: DecisionFormProps): ReactNode {
  return (
    <form method="post" action={action}>
      <XsrfInput token={state.xsrf_token} />
      <input type="hidden" name="consent_challenge" value={state.consent_challenge} />
      {state.scopes.map(({ id }) => (
        <input key={id} type="hidden" name="scopes" value={id} />
      ))}
      {children}
    </form>
  );
}

const ERROR_TEXTS = {
  generic: { heading: "consent.error.generic.heading", description: "consent.error.generic.description" },
  invalidScope: {
    heading: "consent.error.invalidScope.heading",
    description: "consent.error.invalidScope.description",
  },
} as const;

type ConsentErrorProps = ConsentPageProps & {
  texts: (typeof ERROR_TEXTS)[keyof typeof ERROR_TEXTS];
  showsScopes: boolean;
};

/** The request cannot be allowed; rejecting it leads back to the application. */
function ConsentError({ state, client, texts, showsScopes }: ConsentErrorProps): ReactNode {
  const { t } = useTranslation();
  const name = state.client?.name ?? "";
  return (
    <Page
      title={t(texts.heading)}
      lead={t(texts.description, { client: name })}
      code={state.error ?? "error"}
      tone="error"
      client={client}
      wide
    >
      {showsScopes ? <RequestedScopes state={state} name={name} /> : null}
      <p className="note">{t("consent.rejectNote", { client: name })}</p>
      <ConsentButtons state={state} canAllow={false} />
      <Reference />
    </Page>
  );
}

function ConsentExpired({ state, appUrl, restartChallenge }: ConsentPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("consent.error.challenge.heading")}
      lead={t(restartChallenge ? "login.error.challengeExpired" : "consent.error.challenge.description")}
      code="challenge"
      tone="error"
    >
      {restartChallenge ? (
        <RestartForm page="consent" challenge={restartChallenge} xsrf={state.xsrf_token} />
      ) : (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      )}
      <Reference />
    </Page>
  );
}

function ConsentRejected({ state, client, appUrl }: ConsentPageProps): ReactNode {
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
