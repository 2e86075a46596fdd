import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { AccountRow } from "#app/ui/account-row.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginHint, LoginResult, LoginState } from "#app/ui/page-state.ts";
import { RestartForm } from "#app/ui/restart-form.tsx";
import { otherAccountHref } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { LoginForm, LoginFormPage, type LoginFormPageProps } from "./login-form.tsx";

export type LoginPageProps = LoginFormPageProps & {
  /** With the error `challenge`, and with `overloaded` on the page that restarts a request. */
  nextStep?: NextStep | undefined;
};

/** The reason for which a sign-in has to be started again. */
type RestartReason = "expired" | "other-browser" | "no-cookie" | "unavailable";

/**
 * The next step after an invalid challenge: back to the application, without a cookie after the browser allows them, or
 * the same request again.
 */
type NextStep =
  | { kind: "app"; url: string }
  | { kind: "cookies"; url: string }
  | { kind: "restart"; reason: RestartReason; challenge: string; username?: string | undefined };

/** The page of /login, /login/native and /login/proceed in each of its states. */
export function LoginPage(props: LoginPageProps): ReactNode {
  const { state, client, username, nextStep, provider } = props;
  if (state.login_result) {
    const { login_result: result, login_challenge: challenge } = state;
    return <ResultPage result={result} client={client} challenge={challenge} provider={provider} />;
  }
  if (nextStep) return <InvalidChallenge state={state} client={client} username={username} nextStep={nextStep} />;
  if (state.login_hint) {
    return <AccountPrompt state={state} account={state.login_hint} client={client} username={username} />;
  }
  return <LoginFormPage {...props} />;
}

export function loginTitle(t: TFunction, state: LoginState): string {
  if (state.login_result?.status === "failed") return pageTitle(t, t("loginResult.failure.heading"), true);
  if (state.login_result) return pageTitle(t, t("loginResult.success.heading"));
  if (state.error) return pageTitle(t, t("login.title"), true);
  if (state.login_hint) return pageTitle(t, t("loginHint.title", { name: state.login_hint.name }));
  return pageTitle(t, t("login.title"));
}

type ResultPageProps = {
  result: LoginResult;
  client: ClientLabel | null;
  /** The challenge of an open request; "" without one. */
  challenge: string;
  provider?: Provider | undefined;
};

/** The result of a sign-in that cannot continue on this page: completed, or failed at a provider. */
function ResultPage({ result, client, ...failure }: ResultPageProps): ReactNode {
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

function FailedSignIn({ result, client, challenge, provider }: ResultPageProps): ReactNode {
  const { t } = useTranslation();
  const form = otherAccountHref(challenge);
  return (
    <Page
      title={t("loginResult.failure.heading")}
      lead={
        provider && result.code === "provider failed"
          ? t("login.error.providerFailed", { provider: PROVIDER_NAMES[provider] })
          : t("loginResult.failure.description")
      }
      code={result.code ?? result.status}
      tone="error"
      client={client}
    >
      <div className="actions">
        {challenge ? <ButtonLink href={form}>{t("loginResult.failure.again")}</ButtonLink> : null}
        <ButtonLink href={result.to_app_url} quiet={challenge !== ""}>
          {t("common.toApp")}
        </ButtonLink>
      </div>
      <Reference />
    </Page>
  );
}

type InvalidChallengeProps = { state: LoginState; client: ClientLabel | null; username: string; nextStep: NextStep };

/** The page for a challenge that is missing, expired or of another browser: a disabled form and the next step. */
function InvalidChallenge({ state, client, username, nextStep }: InvalidChallengeProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("login.heading")}
      before={
        <>
          <Alert kind="error" code={state.error ?? "challenge"} word={t(quoteOf(state))}>
            <p>{t(explanation(nextStep))}</p>
          </Alert>
          {nextStep.kind === "restart" ? (
            <RestartForm
              page="login"
              challenge={nextStep.challenge}
              xsrf={state.xsrf_token}
              username={nextStep.username}
            />
          ) : (
            <ButtonLink href={nextStep.url}>{t("login.error.challengeAction")}</ButtonLink>
          )}
        </>
      }
      tone="error"
      client={client}
    >
      <LoginForm challenge={state.login_challenge} xsrf={state.xsrf_token} username={username} disabled />
      <Reference />
    </Page>
  );
}

function quoteOf({ error }: LoginState) {
  return error === "overloaded" ? "common.errorSummaryTitle" : "login.error.challengeQuote";
}

function explanation(nextStep: NextStep) {
  if (nextStep.kind === "app") return "login.error.challenge";
  if (nextStep.kind === "cookies") return "common.cookiesMissing";
  switch (nextStep.reason) {
    case "expired":
      return "login.error.challengeExpired";
    case "other-browser":
      return "login.error.challengeOtherBrowser";
    case "unavailable":
      return "serverError.overload.description";
    case "no-cookie":
      return "login.error.challengeNoCookie";
  }
}

type AccountPromptProps = {
  state: LoginState;
  account: LoginHint;
  client: ClientLabel | null;
  username: string;
};

/** "You are logged in as": continue with the account of the session, or use another one. */
function AccountPrompt({ state, account, client, username }: AccountPromptProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("loginHint.heading")}
      before={<ExpiredFormSummary code={state.error} />}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      <AccountRow name={account.name}>
        <b>{account.name}</b>
        <small>{username}</small>
      </AccountRow>
      <form className="actions" method="post" action="/login/proceed">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={state.login_challenge} />
        <input type="hidden" name="user" value={account.id} />
        <input type="hidden" name="proceed" value="1" />
        <Submit>{t("loginHint.proceed")}</Submit>
        <ButtonLink href={otherAccountHref(state.login_challenge)} quiet>
          {t("loginHint.otherAccount")}
        </ButtonLink>
      </form>
    </Page>
  );
}
