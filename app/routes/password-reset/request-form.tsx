import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/errors.ts";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import { Page } from "#app/ui/page.tsx";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadRequestForm, type RequestFormProps } from "./password-reset.server.ts";

const MAX_USERNAME_LENGTH = 64;

export async function loader({ context, request }: LoaderFunctionArgs) {
  const username = new URL(request.url).searchParams.get("username")?.slice(0, MAX_USERNAME_LENGTH) ?? "";
  const page = await loadRequestForm(context, request, { username });
  return data(page, page.status);
}

export default function PasswordResetRequestForm() {
  return <RequestForm {...useLoaderData<typeof loader>()} />;
}

const USERNAME_FIELD = "username";

/** Asks for the user name to which a password reset link is sent. */
export function RequestForm({ state, username, challenge, appUrl, waitMinutes = 1 }: RequestFormProps): ReactNode {
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

function problemOf(t: TFunction, error: ErrorCode | undefined, count: number): Problem | null {
  switch (error) {
    case undefined:
      return null;
    case "empty-username":
      return { text: t("passwordReset.request.error.emptyUsername"), field: USERNAME_FIELD };
    case "throttled":
      return { text: t("login.error.rateLimited", { count }) };
    case "overloaded":
      return { text: t("serverError.overload.description") };
    default:
      return { text: t("passwordReset.request.error.formExpired") };
  }
}
