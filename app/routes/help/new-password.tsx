import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { hasSecondFactor } from "#app/domain/help-link/check-code.server.ts";
import { setPasswordByHelp } from "#app/domain/help-link/new-password.server.ts";
import { checkRules, isRepeated, type RuleResult } from "#app/domain/password/rules.ts";
import { helpCookie } from "#app/http/cookies.server.ts";
import { defineForm, firstError, required, text, withRules } from "#app/http/define-form.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm, issueFormToken } from "#app/http/own-form.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import {
  actionHeaders,
  clearSiteData,
  htmlStatus,
  redirect303,
  respondWith,
  throttledDetails,
} from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { refusalTexts } from "#app/ui/new-password-errors.ts";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import { Page } from "#app/ui/page.tsx";
import type { HelpState } from "#app/ui/page-state.ts";
import { SavePassword } from "#app/ui/save-password.tsx";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { bearerOfRequest, INVALID_URL, requireHelp, requireHelpPages } from "./help.server.ts";

const PATH = "/help/new-password";

const passwordForm = withRules(
  defineForm({
    password: required("empty-password"),
    password_repeat: required("empty-password-repeat"),
    code: text(),
  }),
  (schema) =>
    schema.refine(({ password, password_repeat }) => isRepeated(password, password_repeat), {
      path: ["password_repeat"],
      error: "passwords-not-equal",
    }),
);

/** Asks a person who got help for a new password for it, and for a code if the person has a second factor. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadPasswordPage(context, request, {}));
}

/** Sets the password of the person, who is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireHelpPages(context);
  const { submission, posted } = await readSubmission(request, passwordForm);
  const showAgain = (problem: PageProblem, headers: HeadersInit = {}) =>
    respondWith(loadPasswordPage(context, request, problem), headers);
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain({ error: "xsrf" });
  if (submission.status !== "success") {
    const rules = checkRules(posted("password"), posted("password_repeat"));
    return showAgain({ error: firstError(submission), rules });
  }
  const { password, password_repeat: repeat, code } = submission.value;
  const input = { ...requestMetadata(context), bearer: bearerOfRequest(context, request), password, repeat, code };
  const outcome = await orOverloaded(() => setPasswordByHelp(context, input));
  switch (outcome.kind) {
    case "overloaded":
      return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "throttled": {
      const [details, headers] = throttledDetails(outcome);
      return showAgain({ error: "throttled", ...details }, headers);
    }
    case "wrong code":
      return showAgain({ error: "invalid verification code" });
    case "refused":
      return showAgain({ error: outcome.code, rules: outcome.rules, containsName: outcome.containsName });
    case "error-token":
      return redirect303(INVALID_URL);
    default:
      return redirect303("/help/status?status=success&done=new-password", {
        "Set-Cookie": helpCookie.clear(context.config),
        ...clearSiteData,
      });
  }
}

export const headers = actionHeaders;

/** The error of a refused form, with its details. */
type PageProblem = { error?: ErrorCode | undefined } & Pick<
  NewPasswordPageProps,
  "waitMinutes" | "rules" | "containsName"
>;

async function loadPasswordPage(context: LoadContext, request: Request, { error, ...details }: PageProblem) {
  const { user } = await requireHelp(context, request, "new-password");
  const state: HelpState = { ...(error ? { error } : {}), xsrf_token: await issueFormToken(context) };
  const t = await textsOf(context, request);
  const title = pageTitle(t, t("help.newPassword.title"), error !== undefined);
  const asksCode = await hasSecondFactor(context, user.id);
  return { status: htmlStatus(error), title, state, username: user.username, asksCode, ...details };
}

export default function HelpNewPassword() {
  return <NewPasswordPage {...usePage<typeof loader, typeof action>()} />;
}

type NewPasswordPageProps = {
  state: HelpState;
  username: string;
  /** True if the person has a second factor. */
  asksCode: boolean;
  /** The waiting time of the error `throttled` in minutes, rounded up. */
  waitMinutes?: number | undefined;
  /** The result of each password rule for a refused password. */
  rules?: readonly RuleResult[] | undefined;
  /** True if the password of the error `password-common` contains a name of the person. */
  containsName?: boolean | undefined;
};

/** The form in which a person sets a new password. */
export function NewPasswordPage({ state, username, asksCode, ...page }: NewPasswordPageProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const { rules = [] } = page;
  const refusal = error ? refusalOf(t, error, page) : null;
  const errorAt = (field: string) => (refusal?.problem.field === field ? refusal.problem.text : undefined);
  return (
    <Page
      title={t("help.newPassword.title")}
      lead={<Emphasis text={t("help.forAccount", { username })} part={username} />}
      before={
        error && refusal ? <ErrorSummary code={error} quote={refusal.quote} problems={[refusal.problem]} /> : null
      }
      tone={error ? "error" : "normal"}
      wide
    >
      <NewPasswordForm action={PATH} username={username}>
        <XsrfInput token={state.xsrf_token} />
        <NewPasswordFields
          names={{ password: "password", repeat: "password_repeat" }}
          errors={{ password: errorAt(NEW_PASSWORD_FIELD), repeat: errorAt(REPEAT_FIELD) }}
          rules={rules}
        />
        {asksCode ? (
          <CodeField kind="recovery" hint={t("help.newPassword.codeHint")} error={errorAt(CODE_FIELD)} />
        ) : null}
        <SavePassword>{t("help.newPassword.submit")}</SavePassword>
      </NewPasswordForm>
      <a className="line-link" href="/help">
        {t("help.again")}
      </a>
      <TipsCard />
    </Page>
  );
}

function refusalOf(
  t: TFunction,
  error: ErrorCode,
  { waitMinutes: count = 1, containsName = false }: Pick<NewPasswordPageProps, "waitMinutes" | "containsName">,
): { quote?: string; problem: Problem } {
  switch (error) {
    case "invalid verification code":
      return { problem: { text: t("help.newPassword.wrongCode"), field: CODE_FIELD } };
    case "throttled":
      return { problem: { text: t("help.throttled", { count }) } };
    default:
      return refusalTexts(t, error, containsName);
  }
}
