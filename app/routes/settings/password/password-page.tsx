import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RuleVerdict } from "#app/domain/password/rules.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import type { PasswordChangeState } from "#app/ui/page-state.ts";
import { PasswordField } from "#app/ui/password-field.tsx";
import { SavePassword } from "#app/ui/save-password.tsx";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { CheckField } from "./check-field.tsx";
import { CURRENT_PASSWORD_FIELD, type PasswordErrorDetails, passwordChangeProblem } from "./password-errors.ts";

export type PasswordChangeScreenProps = PasswordErrorDetails & {
  state: PasswordChangeState;
  username: string;
  /** False for somebody who signs in with an external account alone. */
  hasPassword: boolean;
  /** Whether the box is ticked that ends all other sessions. */
  endsOthers: boolean;
  /** With a refused password: what the rules say about it. */
  rules?: readonly RuleVerdict[] | undefined;
};

/** The page at /manage/credentials/password. */
export function PasswordChangeScreen(props: PasswordChangeScreenProps): ReactNode {
  const { t } = useTranslation();
  const { state, hasPassword } = props;
  const { error } = state;
  const refusal = error ? passwordChangeProblem(t, error, props) : null;
  return (
    <SettingsPage
      title={t("managePassword.heading")}
      lead={hasPassword ? null : t("managePassword.none.description")}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={
        error && refusal ? <ErrorSummary code={error} quote={refusal.quote} problems={[refusal.problem]} /> : null
      }
      tone={error ? "error" : "normal"}
    >
      {hasPassword ? (
        <div className="flow form-and-tips">
          <Passwords
            {...props}
            errorAt={(field) => (refusal?.problem.field === field ? refusal.problem.text : undefined)}
          />
          <TipsCard />
        </div>
      ) : (
        <div className="actions">
          <ButtonLink href={LINK_TO_NEW_PASSWORD}>{t("managePassword.none.action")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

/** In the login area: for who has no password to type. */
const LINK_TO_NEW_PASSWORD = "/password-reset/request-form";

type PasswordsProps = PasswordChangeScreenProps & { errorAt(field: string): string | undefined };

function Passwords({ state, username, endsOthers, rules = [], errorAt }: PasswordsProps): ReactNode {
  const { t } = useTranslation();
  return (
    <NewPasswordForm action="/manage/credentials/password" username={username}>
      <XsrfInput token={state.xsrf_token} />
      <div className="pair">
        <PasswordField
          id={CURRENT_PASSWORD_FIELD}
          name="password"
          label={t("field.currentPassword.label")}
          show={t("field.currentPassword.show")}
          hide={t("field.currentPassword.hide")}
          error={errorAt(CURRENT_PASSWORD_FIELD)}
          input={{ autoComplete: "current-password", enterKeyHint: "next", required: true }}
        />
        <a className="line-link" href={LINK_TO_NEW_PASSWORD}>
          {t("managePassword.forgot")}
        </a>
      </div>
      <NewPasswordFields
        names={{ password: "newPassword", repeat: "newPasswordRepeat" }}
        errors={{ password: errorAt(NEW_PASSWORD_FIELD), repeat: errorAt(REPEAT_FIELD) }}
        rules={rules}
      />
      <CheckField
        id="end-others"
        name="endOthers"
        label={t("managePassword.endOthers")}
        hint={t("managePassword.endOthersHint")}
        isChecked={endsOthers}
      />
      <SavePassword
        busy={t("managePassword.saving")}
        beside={
          <ButtonLink href="/manage" quiet>
            {t("managePassword.abort")}
          </ButtonLink>
        }
      >
        {t("managePassword.submit")}
      </SavePassword>
    </NewPasswordForm>
  );
}

export function passwordChangeTitle(t: TFunction, { error }: PasswordChangeState): string {
  return pageTitle(t, t("managePassword.title"), error !== undefined);
}
