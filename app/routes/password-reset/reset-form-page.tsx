import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RuleVerdict } from "#app/domain/password/rules.ts";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import { Page } from "#app/ui/page.tsx";
import type { PasswordResetState } from "#app/ui/page-state.ts";
import { SavePassword } from "#app/ui/save-password.tsx";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { passwordResetProblem } from "./reset-form-errors.ts";

export type PasswordResetFormScreenProps = {
  state: PasswordResetState;
  /** Whose password it is. */
  username: string;
  /** The user has no password yet, as after an invitation. */
  isFirst?: boolean | undefined;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  /** With a refused password: what the rules say about it. */
  rules?: readonly RuleVerdict[] | undefined;
  /** With `password-common`: it is refused because of a name in it. */
  containsName?: boolean | undefined;
};

/** The page at /password-reset/reset-form: a new password for the person of a link. */
export function PasswordResetFormScreen({
  state,
  username,
  isFirst = false,
  challenge,
  rules = [],
  containsName = false,
}: PasswordResetFormScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const refusal = error ? passwordResetProblem(t, error, containsName) : null;
  const errorAt = (field: string) => (refusal?.problem.field === field ? refusal.problem.text : undefined);
  return (
    <Page
      title={isFirst ? t("passwordReset.first.heading") : t("passwordReset.form.heading")}
      lead={<Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />}
      before={
        error && refusal ? <ErrorSummary code={error} quote={refusal.quote} problems={[refusal.problem]} /> : null
      }
      tone={error ? "error" : "normal"}
    >
      <NewPasswordForm action={withChallenge("/password-reset/reset", challenge)} username={username}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="reset_token" value={state.reset_token} />
        <NewPasswordFields
          names={{ password: "password", repeat: "password_repeat" }}
          errors={{ password: errorAt(NEW_PASSWORD_FIELD), repeat: errorAt(REPEAT_FIELD) }}
          rules={rules}
        />
        <SavePassword>{isFirst ? t("passwordReset.first.submit") : t("passwordReset.form.submit")}</SavePassword>
      </NewPasswordForm>
      {challenge ? (
        <a className="line-link" href={signInHref(challenge)}>
          {t("passwordReset.request.back")}
        </a>
      ) : null}
      <TipsCard />
    </Page>
  );
}

export function passwordResetFormTitle(t: TFunction, { error }: PasswordResetState, isFirst = false): string {
  const title = isFirst ? t("passwordReset.first.title") : t("passwordReset.form.title");
  return pageTitle(t, title, error !== undefined);
}
