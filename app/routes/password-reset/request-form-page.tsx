import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import { Page } from "#app/ui/page.tsx";
import type { PasswordResetRequestError, PasswordResetRequestState } from "#app/ui/page-state.ts";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type PasswordResetRequestScreenProps = {
  state: PasswordResetRequestState;
  /** What the person typed before, here or in the sign-in form; else "". */
  username: string;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  appUrl: string;
  /** Needed with the error `throttled`: how long to wait, rounded up. */
  waitMinutes?: number | undefined;
};

const USERNAME_FIELD = "username";

/** The page at /password-reset/request-form: asks for a link to a new password. */
export function PasswordResetRequestScreen({
  state,
  username,
  challenge,
  appUrl,
  waitMinutes = 1,
}: PasswordResetRequestScreenProps): ReactNode {
  const { t } = useTranslation();
  const problem = problemOf(t, state.error, waitMinutes);
  return (
    <Page
      title={t("passwordReset.request.heading")}
      lead={t("passwordReset.request.description")}
      before={state.error && problem ? <ErrorSummary code={state.error} problems={[problem]} /> : null}
      tone={state.error ? "error" : "normal"}
    >
      <form className="flow" method="post" action={withChallenge("/password-reset/request", challenge)} noValidate>
        <XsrfInput token={state.xsrf_token} />
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("field.username.label")}
          error={problem?.field === USERNAME_FIELD ? problem.text : undefined}
          input={{
            autoComplete: "username",
            autoCapitalize: "none",
            autoCorrect: "off",
            spellCheck: false,
            enterKeyHint: "send",
            defaultValue: username,
            required: true,
          }}
        />
        <div className="pair">
          <Submit>{t("passwordReset.request.submit")}</Submit>
          <a className="line-link" href={challenge ? signInHref(challenge) : appUrl}>
            {t("passwordReset.request.back")}
          </a>
        </div>
      </form>
    </Page>
  );
}

function problemOf(t: TFunction, error: PasswordResetRequestError | undefined, count: number): Problem | null {
  switch (error) {
    case undefined:
      return null;
    case "empty-username":
      return { text: t("passwordReset.request.error.emptyUsername"), field: USERNAME_FIELD };
    case "xsrf":
      return { text: t("passwordReset.request.error.formExpired") };
    case "throttled":
      return { text: t("login.error.rateLimited", { count }) };
    case "overloaded":
      return { text: t("serverError.overload.description") };
  }
}

export function passwordResetRequestTitle(t: TFunction, { error }: PasswordResetRequestState): string {
  return pageTitle(t, t("passwordReset.request.title"), error !== undefined);
}
