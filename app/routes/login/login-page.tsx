import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { Alert } from "#app/ui/alert.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginState } from "#app/ui/page-state.ts";
import { providerName } from "#app/ui/provider-name.ts";
import { resetHref } from "#app/ui/sign-in-request.ts";
import { pageTitle } from "#app/ui/title.ts";
import type { WayOn } from "./login-challenge.tsx";
import { LoginChallenge } from "./login-challenge.tsx";
import { loginProblems } from "./login-errors.ts";
import { LoginForm } from "./login-form.tsx";
import { LoginHintScreen } from "./login-hint.tsx";
import { LoginResultScreen } from "./login-result.tsx";
import { ProviderList } from "./provider-list.tsx";
import { RegisterForm } from "./register-form.tsx";

export type LoginScreenProps = {
  state: LoginState;
  client: ClientLabel | null;
  /** What the person typed before, or the signed-in user's name on "You are logged in as"; else "". */
  username: string;
  providers: readonly Provider[];
  /** Needed with the error `challenge`. */
  wayOn?: WayOn | undefined;
  /** Needed with the error `throttled`: how long to wait, rounded up. */
  waitMinutes?: number | undefined;
  /** Fields left empty, when the error is about empty fields. */
  missing?: readonly ("username" | "password")[] | undefined;
  /** Where the sign-in failed or ended, if it was not here. */
  provider?: Provider | undefined;
  /** Where the user cancelled the sign-in: the form says so in a note. */
  cancelledProvider?: Provider | undefined;
  /** Why the form is shown although the user has signed in already, here or at a provider. */
  notice?: ProofNotice | undefined;
  /** A provider has said who it is, and the only account of that person may not sign in; with the error `credentials`. */
  isBlocked?: boolean | undefined;
  /** The user registered for this request: the account exists, and a mail with a link to a password was sent. */
  isNew?: boolean | undefined;
};

/**
 * A proof of identity is asked for: `not recent`: the provider did not confirm that the user signed in there just now;
 * `set-up`: a first factor is to be set up.
 */
export type ProofNotice = { kind: "not recent"; provider: Provider; hasPassword: boolean } | { kind: "set-up" };

/** The page at /login and /login/native in each of its states: result, account in use, switched off, form. */
export function LoginScreen(props: LoginScreenProps): ReactNode {
  const { state, client, username, wayOn, provider } = props;
  if (state.login_result) {
    const { login_result: result, login_challenge: challenge } = state;
    return <LoginResultScreen result={result} client={client} challenge={challenge} provider={provider} />;
  }
  if (state.error === "challenge" && wayOn) {
    return <LoginChallenge state={state} client={client} username={username} wayOn={wayOn} />;
  }
  if (state.login_hint) {
    return <LoginHintScreen state={state} account={state.login_hint} client={client} username={username} />;
  }
  return <LoginFormPage {...props} />;
}

function LoginFormPage({
  state,
  client,
  username,
  providers,
  cancelledProvider,
  notice,
  ...circumstances
}: LoginScreenProps): ReactNode {
  const { t } = useTranslation();
  const problems = loginProblems(t, state.error, circumstances);
  return (
    <Page
      title={t("login.heading")}
      // The header names the application; without a header the heading does.
      lead={client && !client.uri ? t("login.intro", { client: client.name }) : null}
      before={
        <>
          {state.error ? (
            <ErrorSummary code={state.error} {...problems} />
          ) : (
            <CancelledNote provider={cancelledProvider} />
          )}
          {circumstances.isNew ? (
            <Alert kind="ok" code="registered" word={t("common.successTitle")}>
              <p>{t("register.done")}</p>
            </Alert>
          ) : null}
        </>
      }
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      {notice ? <Proof notice={notice} username={username} challenge={state.login_challenge} /> : null}
      <LoginForm
        challenge={state.login_challenge}
        xsrf={state.xsrf_token}
        username={username}
        usernameError={problems.problems.find(({ field }) => field === "username")?.text}
        passwordError={problems.problems.find(({ field }) => field === "current-password")?.text}
      />
      <ProviderList providers={providers} challenge={state.login_challenge} />
      <RegisterForm
        challenge={state.login_challenge}
        xsrf={state.xsrf_token}
        hints={state.reg_hints}
        client={circumstances.provider ? providerName(circumstances.provider) : (client?.name ?? "")}
      />
    </Page>
  );
}

function CancelledNote({ provider }: { provider: Provider | undefined }): ReactNode {
  const { t } = useTranslation();
  if (!provider) return null;
  return (
    <Alert kind="info" word={t("common.infoTitle")}>
      <p>{t("login.info.providerCancelled", { provider: providerName(provider) })}</p>
    </Alert>
  );
}

function Proof({
  notice,
  username,
  challenge,
}: {
  notice: ProofNotice;
  username: string;
  challenge: string;
}): ReactNode {
  const { t } = useTranslation();
  if (notice.kind === "set-up") {
    return (
      <Notice kind="attention" data-code="proof-set-up">
        <p>{t("login.proof.setUp")}</p>
      </Notice>
    );
  }
  const provider = providerName(notice.provider);
  return (
    <Notice kind="attention" data-code="proof-not-recent">
      <p>{t("login.proof.notRecent", { provider })}</p>
      {notice.hasPassword ? (
        <p>{t("login.proof.password")}</p>
      ) : (
        <p>
          {t("login.proof.noPassword")} <a href={resetHref(username, challenge)}>{t("login.proof.choosePassword")}</a>
        </p>
      )}
    </Notice>
  );
}

export function loginTitle(t: TFunction, state: LoginState): string {
  if (state.login_result) return pageTitle(t, t("loginResult.title"), state.login_result.status === "failed");
  if (state.error) return pageTitle(t, t("login.title"), true);
  if (state.login_hint) return pageTitle(t, t("loginHint.title", { name: state.login_hint.name }));
  return pageTitle(t, t("login.title"));
}
