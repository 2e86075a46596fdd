import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { findHelpOfBearer } from "#app/domain/help-link/help.server.ts";
import { redeemWords } from "#app/domain/help-link/redeem.server.ts";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { helpCookie } from "#app/http/cookies.server.ts";
import { defineForm, firstError, notBlank, text } from "#app/http/define-form.server.ts";
import { isLanguageChange, readSubmission } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { readMailedToken } from "#app/http/mailed-link.server.ts";
import { isOwnLoginForm, issueFormToken } from "#app/http/own-form.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { actionHeaders, htmlStatus, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field, USERNAME_INPUT } from "#app/ui/field.tsx";
import { Page } from "#app/ui/page.tsx";
import type { HelpState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { helpUrl, INVALID_URL, requireHelpPages } from "./help.server.ts";

const PATH = "/help";

/** The id of the form. */
const WORDS_FORM = "help-words";

const wordsForm = defineForm({ username: notBlank("empty-username"), words: text() });

/** Shows the form for the words, or opens a link with a token, which it moves to a cookie. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  requireHelpPages(context);
  await readMailedToken(context, request, {
    parameter: "help_token",
    cookie: helpCookie,
    async urlOf(token) {
      const help = await findHelpOfBearer(context, token);
      return help && helpUrl(help);
    },
    invalidUrl: INVALID_URL,
  });
  return respondWith(loadWordsPage(context, request, { username: "" }));
}

/** Checks the words. The response does not depend on whether the user exists, or has got help. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireHelpPages(context);
  const { submission, posted } = await readSubmission(request, wordsForm);
  const username = posted("username").slice(0, LOGIN_NAME_MAX_LENGTH);
  const showAgain = (error: ErrorCode | undefined, waitMinutes?: number, headers: HeadersInit = {}) =>
    respondWith(loadWordsPage(context, request, { username, error, waitMinutes }), headers);
  if (isLanguageChange(request)) return showAgain(undefined);
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain("xsrf");
  if (submission.status !== "success") return showAgain(firstError(submission));
  const { address, userAgent, requestId } = context;
  const outcome = await redeemWords(context, { ...submission.value, address, userAgent, requestId });
  switch (outcome.kind) {
    case "throttled": {
      const [{ waitMinutes }, headers] = throttledDetails(outcome);
      return showAgain("throttled", waitMinutes, headers);
    }
    case "refused":
      return showAgain("credentials");
    default: {
      const help = await findHelpOfBearer(context, outcome.bearer);
      if (!help) return showAgain("credentials");
      return redirect303(helpUrl(help), { "Set-Cookie": helpCookie.keep(context.config, outcome.bearer) });
    }
  }
}

export const headers = actionHeaders;

async function loadWordsPage(
  context: LoadContext,
  request: Request,
  {
    username,
    error,
    waitMinutes,
  }: { username: string; error?: ErrorCode | undefined; waitMinutes?: number | undefined },
) {
  const xsrf_token = await issueFormToken(context);
  const state: HelpState = { ...(error ? { error } : {}), xsrf_token };
  const t = await textsOf(context, request);
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("help.words.title"), error !== undefined),
    state,
    username,
    waitMinutes,
    languageForm: { id: WORDS_FORM, path: PATH },
  };
}

export default function HelpWords() {
  return <WordsPage {...usePage<typeof loader, typeof action>()} />;
}

type WordsPageProps = {
  state: HelpState;
  /** The user name as typed. */
  username: string;
  /** The waiting time of the error `throttled` in minutes, rounded up. */
  waitMinutes?: number | undefined;
};

const USERNAME_FIELD = "username";

/** Asks for the user name and the six words that the office reads to the person. */
export function WordsPage({ state, username, waitMinutes = 1 }: WordsPageProps): ReactNode {
  const { t } = useTranslation();
  const problem = problemOf(t, state.error, waitMinutes);
  return (
    <Page
      title={t("help.words.title")}
      lead={t("help.words.lead")}
      before={state.error && problem ? <ErrorSummary code={state.error} problems={[problem]} /> : null}
      tone={state.error ? "error" : "normal"}
    >
      <form className="flow" id={WORDS_FORM} method="post" action={PATH} noValidate>
        <XsrfInput token={state.xsrf_token} />
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("field.usernameOrEmail.label")}
          error={problem?.field === USERNAME_FIELD ? problem.text : undefined}
          input={{ ...USERNAME_INPUT, enterKeyHint: "next", defaultValue: username, required: true }}
        />
        <Field
          id="words"
          name="words"
          label={t("help.words.label")}
          hint={t("help.words.hint")}
          input={{
            autoComplete: "one-time-code",
            autoCapitalize: "none",
            autoCorrect: "off",
            spellCheck: false,
            enterKeyHint: "go",
            required: true,
          }}
        />
        <Submit>{t("help.words.submit")}</Submit>
      </form>
      <p className="note">{t("help.words.later")}</p>
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
      return { text: t("help.throttled", { count }) };
    case "xsrf":
      return { text: t("common.formExpired") };
    default:
      return { text: t("help.words.refused") };
  }
}
