import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { resetFactorsByHelp } from "#app/domain/help-link/new-device.server.ts";
import { helpCookie } from "#app/http/cookies.server.ts";
import { defineForm, firstError, required } from "#app/http/define-form.server.ts";
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
import { AccountForManagers } from "#app/ui/account-for-managers.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import type { HelpState } from "#app/ui/page-state.ts";
import { PasswordField } from "#app/ui/password-field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { bearerOfRequest, INVALID_URL, requireHelp, requireHelpPages } from "./help.server.ts";

const PATH = "/help/new-device";

const passwordForm = defineForm({ password: required("empty-password") });

/** Asks a person who got help for a new device for the password. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadDevicePage(context, request, {}));
}

/** Removes all second factors of the person, who is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireHelpPages(context);
  const { submission, posted } = await readSubmission(request, passwordForm);
  const showAgain = (error: ErrorCode | undefined, waitMinutes?: number, headers: HeadersInit = {}) =>
    respondWith(loadDevicePage(context, request, { error, waitMinutes }), headers);
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain("xsrf");
  if (submission.status !== "success") return showAgain(firstError(submission));
  const { password } = submission.value;
  const bearer = bearerOfRequest(context, request);
  const outcome = await orOverloaded(() =>
    resetFactorsByHelp(context, { ...requestMetadata(context), bearer, password }),
  );
  switch (outcome.kind) {
    case "overloaded":
      return showAgain("overloaded", undefined, OVERLOAD_HEADERS);
    case "throttled": {
      const [{ waitMinutes }, headers] = throttledDetails(outcome);
      return showAgain("throttled", waitMinutes, headers);
    }
    case "wrong password":
      return showAgain("credentials");
    case "error-token":
      return redirect303(INVALID_URL);
    default:
      return redirect303("/help/status?status=success&done=new-device", {
        "Set-Cookie": helpCookie.clear(context.config),
        ...clearSiteData,
      });
  }
}

export const headers = actionHeaders;

type FormError = { error?: ErrorCode | undefined; waitMinutes?: number | undefined };

async function loadDevicePage(context: LoadContext, request: Request, { error, waitMinutes }: FormError) {
  const { user } = await requireHelp(context, request, "new-device");
  const state: HelpState = { ...(error ? { error } : {}), xsrf_token: await issueFormToken(context) };
  const t = await textsOf(context, request);
  const title = pageTitle(t, t("help.newDevice.title"), error !== undefined);
  return { status: htmlStatus(error), title, state, username: user.username, waitMinutes };
}

export default function HelpNewDevice() {
  return <NewDevicePage {...usePage<typeof loader, typeof action>()} />;
}

type NewDevicePageProps = {
  state: HelpState;
  username: string;
  /** The waiting time of the error `throttled` in minutes, rounded up. */
  waitMinutes?: number | undefined;
};

const PASSWORD_FIELD = "password";

/** Asks for the password, with which all second factors are removed. */
export function NewDevicePage({ state, username, waitMinutes = 1 }: NewDevicePageProps): ReactNode {
  const { t } = useTranslation();
  const problem = problemOf(t, state.error, waitMinutes);
  return (
    <Page
      title={t("help.newDevice.title")}
      lead={t("help.newDevice.lead")}
      before={state.error && problem ? <ErrorSummary code={state.error} problems={[problem]} /> : null}
      tone={state.error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("help.forAccount", { username })} part={username} />
      </p>
      <form className="flow" method="post" action={PATH} noValidate>
        <AccountForManagers username={username} />
        <XsrfInput token={state.xsrf_token} />
        <PasswordField
          id={PASSWORD_FIELD}
          name="password"
          label={t("field.password.label")}
          show={t("field.password.show")}
          hide={t("field.password.hide")}
          error={problem?.field === PASSWORD_FIELD ? problem.text : undefined}
          input={{ autoComplete: "current-password", enterKeyHint: "go", required: true }}
        />
        <p className="note">{t("help.newDevice.sessions")}</p>
        <Submit danger>{t("help.newDevice.submit")}</Submit>
      </form>
      <a className="line-link" href="/help">
        {t("help.again")}
      </a>
    </Page>
  );
}

function problemOf(t: TFunction, error: ErrorCode | undefined, count: number): Problem | null {
  switch (error) {
    case undefined:
      return null;
    case "empty-password":
      return { text: t("help.newDevice.empty"), field: PASSWORD_FIELD };
    case "credentials":
      return { text: t("help.newDevice.wrong"), field: PASSWORD_FIELD };
    case "throttled":
      return { text: t("help.throttled", { count }) };
    case "overloaded":
      return { text: t("serverError.overload.description") };
    default:
      return { text: t("common.formExpired") };
  }
}
