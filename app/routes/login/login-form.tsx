import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "#app/ui/field.tsx";
import { PasswordField } from "#app/ui/password-field.tsx";
import { resetHref } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { PASSWORD_FIELD, USERNAME_FIELD } from "./login-errors.ts";

type LoginFormProps = {
  challenge: string;
  xsrf: string;
  username: string;
  usernameError?: string | undefined;
  passwordError?: string | undefined;
  /** Switches inputs and button off, for a sign-in that cannot go on. */
  disabled?: boolean;
};

/** User name and password. The server does all checking, so that both ways, with and without script, say the same. */
export function LoginForm({
  challenge,
  xsrf,
  username,
  usernameError,
  passwordError,
  disabled = false,
}: LoginFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <form className="flow" method="post" action="/login/native" noValidate>
      <XsrfInput token={xsrf} />
      <input type="hidden" name="login_challenge" value={challenge} />
      <Field
        id={USERNAME_FIELD}
        name="username"
        label={t("field.username.label")}
        error={usernameError}
        input={{
          autoComplete: "username",
          autoCapitalize: "none",
          autoCorrect: "off",
          spellCheck: false,
          enterKeyHint: "next",
          defaultValue: username,
          required: true,
          disabled,
        }}
      />
      <PasswordField
        id={PASSWORD_FIELD}
        name="password"
        label={t("field.password.label")}
        show={t("field.password.show")}
        hide={t("field.password.hide")}
        error={passwordError}
        input={{ autoComplete: "current-password", enterKeyHint: "go", required: true, disabled }}
      />
      <div className="pair">
        <Submit busy={t("login.submitting")} disabled={disabled}>
          {t("login.submit")}
        </Submit>
        {disabled ? null : (
          <a className="line-link" href={resetHref(username, challenge)}>
            {t("login.forgotPassword")}
          </a>
        )}
      </div>
    </form>
  );
}
