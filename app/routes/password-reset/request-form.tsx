import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { requestPasswordReset, requireDatabase } from "#app/domain/password-reset/request.server.ts";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { defineForm, firstError, notBlank, text } from "#app/http/define-form.server.ts";
import { isLanguageChange, readSubmission, requireFormUrl } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm, issueFormToken } from "#app/http/own-form.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { findRememberedUsername } from "#app/http/remembered-username.server.ts";
import { actionHeaders, htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { challengeOf, challengeParameter, findSignInRequest } from "#app/http/sign-in-request.server.ts";
import { findTypedUsername, keepTypedUsername } from "#app/http/typed-username.server.ts";
import { storeForLaterRequest } from "#app/oidc/interaction-result.server.ts";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field, USERNAME_INPUT } from "#app/ui/field.tsx";
import { HelpOffer } from "#app/ui/help-offer.tsx";
import { KeepNameButton } from "#app/ui/keep-name-button.tsx";
import type { LanguageForm } from "#app/ui/language-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { PasswordResetRequestState } from "#app/ui/page-state.ts";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const ACTION = "/password-reset/request";

/** The id of the form. */
const REQUEST_FORM = "request-reset";

/** `ignored`: the other fields of the sign-in form, which is posted here by its button for a forgotten password. */
const requestForm = {
  ...defineForm({ username: notBlank("empty-username"), next_form: text() }),
  ignored: /^(login_challenge|password)$/,
};

/** Shows the form. Redirects a GET of ACTION, as after a reload of a refused form or a change of the language. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { pathname, search } = new URL(request.url);
  if (pathname === ACTION) return redirect303(`/password-reset/request-form${search}`);
  const remembered = await findRememberedUsername(context, request);
  const typed = await findTypedUsername(context, request, challengeParameter(request));
  const username = typed || (remembered?.username ?? "");
  return respondWith(loadRequestForm(context, request, { username }));
}

/**
 * Requests a link. The response is the same for every user name, and the work starts after the response has been sent,
 * so that neither content nor duration depends on the user name.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readSubmission(request, requestForm);
  const { posted } = form;
  return orUnavailable(context, request, {
    work: () => handleForm(context, request, form),
    fallback: () =>
      respondWith(
        requestFormPage(context, request, {
          error: "overloaded",
          username: posted("username").slice(0, LOGIN_NAME_MAX_LENGTH),
          xsrf_token: posted("_xsrf"),
          challenge: challengeParameter(request),
        }),
        OVERLOAD_HEADERS,
      ),
  });
}

type PostedForm = Awaited<ReturnType<typeof readSubmission<(typeof requestForm)["schema"]>>>;

async function handleForm(context: LoadContext, request: Request, { submission, posted }: PostedForm) {
  const showAgain = (error: ErrorCode | undefined) =>
    respondWith(
      loadRequestForm(context, request, { error, username: posted("username").slice(0, LOGIN_NAME_MAX_LENGTH) }),
    );
  if (isLanguageChange(request) || posted("next_form") === "reset") return showAgain(undefined);
  requireFormUrl(request, ACTION);
  if (posted("next_form") === "sign-in") {
    const challenge = await challengeOf(context, request);
    const kept = await keepTypedUsername(context, { username: posted("username"), challenge });
    return redirect303(signInHref(challenge), kept);
  }
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain("xsrf");
  if (submission.status !== "success") return showAgain(firstError(submission));
  const { username } = submission.value;
  const { address, userAgent, requestId, browser } = context;
  const from = await findSignInRequest(context, request);
  const signIn = from && { uid: from.uid, browser };
  const pageLanguage = await context.language();
  await requireDatabase(context);
  if (from?.interaction) await storeForLaterRequest(context, from.interaction);
  context.afterResponse(() =>
    requestPasswordReset(context, { username, signIn, pageLanguage, address, userAgent, requestId }),
  );
  const challenge = from?.challenge ?? "";
  const kept = await keepTypedUsername(context, { username, challenge });
  return redirect303(withChallenge("/password-reset/request-status?status=success", challenge), kept);
}

type RequestFormInput = { error?: ErrorCode | undefined; username: string };

type RequestFormPage = PageView<PasswordResetRequestState, RequestFormProps> & { languageForm: LanguageForm };

/** Loads the page that asks for the user name. */
async function loadRequestForm(context: LoadContext, request: Request, input: RequestFormInput) {
  const xsrf_token = await issueFormToken(context);
  return requestFormPage(context, request, { ...input, xsrf_token, challenge: await challengeOf(context, request) });
}

async function requestFormPage(
  context: LoadContext,
  request: Request,
  { error, username, xsrf_token, challenge }: RequestFormInput & { xsrf_token: string; challenge: string },
): Promise<RequestFormPage> {
  const state = { ...(error ? { error } : {}), xsrf_token };
  const title = requestFormTitle(await textsOf(context, request), state);
  const languageForm = { id: REQUEST_FORM, path: ACTION };
  const { appUrl, adminPages: offersHelp } = context.config;
  return { status: htmlStatus(error), title, state, username, challenge, appUrl, offersHelp, languageForm };
}

export function requestFormTitle(t: TFunction, { error }: PasswordResetRequestState): string {
  return pageTitle(t, t("passwordReset.request.title"), error !== undefined);
}

export const headers = actionHeaders;

export default function PasswordResetRequest() {
  return <RequestForm {...usePage<typeof loader, typeof action>()} />;
}

export type RequestFormProps = {
  state: PasswordResetRequestState;
  /** The user name that was entered before, here or in the sign-in form; else "". */
  username: string;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  appUrl: string;
  /** The office can give six words (ADMIN_PAGES). */
  offersHelp: boolean;
  /** The waiting time of the error `throttled` in minutes, rounded up. */
  waitMinutes?: number | undefined;
};

const USERNAME_FIELD = "username";

/** Asks for the user name or e-mail address to which a password reset link is sent. */
export function RequestForm({
  state,
  username,
  challenge,
  appUrl,
  offersHelp,
  waitMinutes = 1,
}: RequestFormProps): ReactNode {
  const { t } = useTranslation();
  const problem = problemOf(t, state.error, waitMinutes);
  return (
    <Page
      title={t("passwordReset.request.heading")}
      lead={t("passwordReset.request.description")}
      before={state.error && problem ? <ErrorSummary code={state.error} problems={[problem]} /> : null}
      tone={state.error ? "error" : "normal"}
    >
      <form className="flow" id={REQUEST_FORM} method="post" action={withChallenge(ACTION, challenge)} noValidate>
        <XsrfInput token={state.xsrf_token} />
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("field.usernameOrEmail.label")}
          error={problem?.field === USERNAME_FIELD ? problem.text : undefined}
          input={{
            ...USERNAME_INPUT,
            enterKeyHint: "send",
            defaultValue: username,
            required: true,
          }}
        />
        <div className="pair">
          <Submit>{t("passwordReset.request.submit")}</Submit>
          {challenge ? (
            <KeepNameButton to="sign-in" challenge={challenge}>
              {t("passwordReset.request.back")}
            </KeepNameButton>
          ) : (
            <a className="line-link" href={appUrl}>
              {t("passwordReset.request.back")}
            </a>
          )}
        </div>
      </form>
      {offersHelp ? <HelpOffer /> : null}
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
