import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/errors.ts";
import { findPasswordReset } from "#app/domain/password-reset/link.server.ts";
import { isToken, passwordResetCookie } from "#app/http/cookies.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import { Page } from "#app/ui/page.tsx";
import { SavePassword } from "#app/ui/save-password.tsx";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { challengeOfReset, ERROR_TOKEN_URL, loadResetForm, type ResetFormProps } from "./password-reset.server.ts";

/**
 * Moves the token of a mailed link to a cookie, then shows the form. A GET does not consume the link, because mail
 * scanners also open links.
 */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { config } = context;
  const token = new URL(request.url).searchParams.get("reset_token");
  if (token !== null) {
    const reset = isToken(token) ? await findPasswordReset(context, token) : null;
    if (!reset) return redirect303(ERROR_TOKEN_URL);
    const form = withChallenge("/password-reset/reset-form", challengeOfReset(context, reset));
    return redirect303(form, { "Set-Cookie": passwordResetCookie.keep(config, token) });
  }
  const resetToken = passwordResetCookie.read(config, request.headers.get("cookie"));
  const page = await loadResetForm(context, request, { resetToken });
  return data(page, page.status);
}

export default function PasswordResetForm() {
  return <ResetForm {...useLoaderData<typeof loader>()} />;
}

/** The form in which the user of a link sets a new password. */
export function ResetForm({
  state,
  username,
  isFirst = false,
  challenge,
  rules = [],
  containsName = false,
}: ResetFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const refusal = error ? refusalTexts(t, error, containsName) : null;
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

function refusalTexts(t: TFunction, error: ErrorCode, containsName: boolean): { quote?: string; problem: Problem } {
  switch (error) {
    case "empty-password":
      return {
        quote: t("passwordReset.form.quote.empty-password"),
        problem: { text: t("passwordReset.form.error.empty-password"), field: NEW_PASSWORD_FIELD },
      };
    case "empty-password-repeat":
      return {
        quote: t("passwordReset.form.quote.empty-password-repeat"),
        problem: { text: t("passwordReset.form.error.empty-password-repeat"), field: REPEAT_FIELD },
      };
    case "passwords-not-equal":
      return {
        quote: t("passwordReset.form.quote.passwords-not-equal"),
        problem: { text: t("passwordReset.form.error.passwords-not-equal"), field: REPEAT_FIELD },
      };
    case "password-strength":
      return {
        quote: t("passwordReset.form.quote.password-strength"),
        problem: { text: t("passwordReset.form.error.password-strength"), field: NEW_PASSWORD_FIELD },
      };
    case "password-common": {
      const text = containsName
        ? t("passwordReset.form.error.password-name")
        : t("passwordReset.form.error.password-common");
      return { problem: { text, field: NEW_PASSWORD_FIELD } };
    }
    case "overloaded":
      return { problem: { text: t("serverError.overload.description") } };
    default:
      return { problem: { text: t("passwordReset.form.error.form-expired") } };
  }
}
