import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { StartedPasskey } from "#app/domain/webauthn/options.ts";
import { Alert } from "#app/ui/alert.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Field, USERNAME_INPUT } from "#app/ui/field.tsx";
import { KeepNameButton, KeepNameForm } from "#app/ui/keep-name-button.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginState } from "#app/ui/page-state.ts";
import { PasswordField } from "#app/ui/password-field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loginProblems, PASSWORD_FIELD, USERNAME_FIELD } from "./login-errors.ts";
import { OtherMethods, RegisterForm } from "./other-methods.tsx";

export type LoginFormPageProps = {
  state: LoginState;
  client: ClientLabel | null;
  /** The user name that was entered before; on "You are logged in as" that of the signed-in user; else "". */
  username: string;
  /** The user name is that of the last sign-in in this browser: it is shown with "Not you?" instead of a field. */
  isRemembered?: boolean | undefined;
  providers: readonly Provider[];
  /** The challenge of a sign-in by passkey; null if none is offered. */
  passkey?: StartedPasskey | null | undefined;
  /** The waiting time of the error `throttled` in minutes, rounded up. */
  waitMinutes?: number | undefined;
  /** All errors of the form; `state.error` is the first. */
  errors?: readonly ErrorCode[] | undefined;
  /** The provider at which the sign-in failed. */
  provider?: Provider | undefined;
  /** The provider at which the user cancelled the sign-in; the form shows a note. */
  cancelledProvider?: Provider | undefined;
  /** The reason for which a user who has already signed in, here or at a provider, has to sign in again. */
  notice?: ProofNotice | undefined;
  /** With the error `credentials`: the only account of the external identity is blocked. */
  isBlocked?: boolean | undefined;
  /** The user registered during this request: the account exists, and a mail with a password link was sent. */
  isNew?: boolean | undefined;
};

/**
 * The reason for a reauthentication. `not recent`: the provider did not confirm a recent authentication; `set-up`: a
 * first factor is set up next; `not verified`: the passkey did not verify the user.
 */
export type ProofNotice =
  | { kind: "not recent"; provider: Provider; hasPassword: boolean }
  | { kind: "set-up" | "not verified" };

/** The page with the form for user name and password, the providers and the registration. */
export function LoginFormPage({
  state,
  client,
  username,
  providers,
  passkey = null,
  cancelledProvider,
  notice,
  ...details
}: LoginFormPageProps): ReactNode {
  const { t } = useTranslation();
  const problems = loginProblems(t, state.error, details);
  // After a wrong password the empty field takes it.
  const takesFocus = problems.problems[0]?.field !== PASSWORD_FIELD;
  return (
    <Page
      title={t("login.heading")}
      // The header names the application; a client without URI has no header.
      lead={client && !client.uri ? t("login.intro", { client: client.name }) : null}
      before={
        <>
          {state.error ? (
            <ErrorSummary code={state.error} {...problems} takesFocus={takesFocus} />
          ) : (
            <CancelledNote provider={cancelledProvider} />
          )}
          {details.isNew ? (
            <Alert kind="ok" code="registered" word={t("common.successTitle")}>
              <p>{t("register.done")}</p>
            </Alert>
          ) : null}
        </>
      }
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      {notice ? <ProofNote notice={notice} username={username} state={state} /> : null}
      <LoginForm
        challenge={state.login_challenge}
        xsrf={state.xsrf_token}
        username={username}
        isRemembered={details.isRemembered}
        usernameError={problems.problems.find(({ field }) => field === USERNAME_FIELD)?.text}
        passwordError={problems.problems.find(({ field }) => field === PASSWORD_FIELD)?.text}
        focusesPassword={!takesFocus}
        offersPasskeys={passkey !== null}
      />
      {details.isRemembered ? <ForgetForm challenge={state.login_challenge} xsrf={state.xsrf_token} /> : null}
      <OtherMethods providers={providers} passkey={passkey} challenge={state.login_challenge} xsrf={state.xsrf_token} />
      <RegisterForm
        challenge={state.login_challenge}
        xsrf={state.xsrf_token}
        hints={state.reg_hints}
        client={details.provider ? PROVIDER_NAMES[details.provider] : (client?.name ?? "")}
      />
    </Page>
  );
}

function CancelledNote({ provider }: { provider: Provider | undefined }): ReactNode {
  const { t } = useTranslation();
  if (!provider) return null;
  return (
    <Alert kind="info" word={t("common.infoTitle")}>
      <p>{t("login.info.providerCancelled", { provider: PROVIDER_NAMES[provider] })}</p>
    </Alert>
  );
}

type ProofNoteProps = { notice: ProofNotice; username: string; state: LoginState };

function ProofNote({ notice, username, state }: ProofNoteProps): ReactNode {
  const { t } = useTranslation();
  if (notice.kind !== "not recent") {
    const isSetUp = notice.kind === "set-up";
    return (
      <Notice kind="attention" data-code={isSetUp ? "proof-set-up" : "proof-not-verified"}>
        <p>{t(isSetUp ? "login.proof.setUp" : "login.proof.notVerified")}</p>
      </Notice>
    );
  }
  const provider = PROVIDER_NAMES[notice.provider];
  return (
    <Notice kind="attention" data-code="proof-not-recent">
      <p>{t("login.proof.notRecent", { provider })}</p>
      {notice.hasPassword ? (
        <p>{t("login.proof.password")}</p>
      ) : (
        <>
          <p>{t("login.proof.noPassword")}</p>
          <KeepNameForm to="reset" challenge={state.login_challenge} username={username} xsrf={state.xsrf_token}>
            {t("login.proof.choosePassword")}
          </KeepNameForm>
        </>
      )}
    </Notice>
  );
}

/** The id of the form for user name and password. */
export const SIGN_IN_FORM = "sign-in";

type LoginFormProps = {
  challenge: string;
  xsrf: string;
  username: string;
  isRemembered?: boolean | undefined;
  usernameError?: string | undefined;
  passwordError?: string | undefined;
  focusesPassword?: boolean;
  /** Lets the browser offer passkeys at the field for the user name, when the script asks it to. */
  offersPasskeys?: boolean;
  /** Disables inputs and button, for a sign-in that cannot continue. */
  disabled?: boolean;
};

/** User name and password. Only the server validates, so that the errors are the same with and without a script. */
export function LoginForm({
  challenge,
  xsrf,
  username,
  isRemembered = false,
  usernameError,
  passwordError,
  focusesPassword = false,
  offersPasskeys = false,
  disabled = false,
}: LoginFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <form className="flow" id={SIGN_IN_FORM} method="post" action="/login/native" noValidate>
      <XsrfInput token={xsrf} />
      <input type="hidden" name="login_challenge" value={challenge} />
      {isRemembered ? (
        <RememberedUsername username={username} />
      ) : (
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("field.usernameOrEmail.label")}
          error={usernameError}
          input={{
            ...USERNAME_INPUT,
            autoComplete: offersPasskeys ? "username webauthn" : "username",
            enterKeyHint: "next",
            defaultValue: username,
            required: true,
            disabled,
          }}
        />
      )}
      <PasswordField
        id={PASSWORD_FIELD}
        name="password"
        label={t("field.password.label")}
        show={t("field.password.show")}
        hide={t("field.password.hide")}
        error={passwordError}
        input={{
          autoComplete: "current-password",
          enterKeyHint: "go",
          required: true,
          disabled,
          autoFocus: focusesPassword,
        }}
      />
      <div className="pair">
        <Submit busy={t("login.submitting")} disabled={disabled}>
          {t("login.submit")}
        </Submit>
        {disabled ? null : (
          <KeepNameButton to="reset" challenge={challenge}>
            {t("login.forgotPassword")}
          </KeepNameButton>
        )}
      </div>
    </form>
  );
}

const FORGET_FORM = "forget-username";

/** The remembered user name, which password managers read as in an empty form, and the button that forgets it. */
function RememberedUsername({ username }: { username: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="field pair">
      <label htmlFor={USERNAME_FIELD}>{t("field.usernameOrEmail.label")}</label>
      <div className="secret">
        <input
          className="input"
          id={USERNAME_FIELD}
          name="username"
          autoComplete="username"
          readOnly
          defaultValue={username}
        />
        {/* Belongs to another form, because Enter in a field presses the first button of its form. */}
        <button
          className="show"
          type="submit"
          form={FORGET_FORM}
          name="forget"
          value="1"
          aria-label={t("login.notYouLabel")}
        >
          {t("login.notYou")}
        </button>
      </div>
    </div>
  );
}

function ForgetForm({ challenge, xsrf }: { challenge: string; xsrf: string }): ReactNode {
  return (
    <form id={FORGET_FORM} method="post" action="/login/native" hidden>
      <XsrfInput token={xsrf} />
      <input type="hidden" name="login_challenge" value={challenge} />
    </form>
  );
}
