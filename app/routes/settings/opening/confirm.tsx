import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isFresh } from "#app/domain/access/access.ts";
import { settingsTarget } from "#app/domain/access/settings-path.ts";
import { reauthenticate } from "#app/domain/account/reauthenticate.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { settingsCookie } from "#app/http/cookies.server.ts";
import { firstError } from "#app/http/define-form.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { confirmUrl, isOwnSettingsForm, requireSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { AccountForManagers } from "#app/ui/account-for-managers.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { PasswordField } from "#app/ui/password-field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { type ConfirmPage, confirmForm, loadConfirmPage } from "./confirm.server.ts";

/** Redirects to the page `to` when the last proof of identity is recent enough. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const to = targetOf(request);
  if (isFresh(settings.access, context.clock.now())) return redirect303(to);
  return respondWith(loadConfirmPage(context, request, settings, { to }));
}

/** Accepts the user's password as a proof of identity and redirects to the page `to`. */
export async function action({ context, request }: ActionFunctionArgs) {
  const to = targetOf(request);
  const settings = await requireSettings(context, request, to);
  // The same form was submitted before: its token belongs to the earlier page session.
  if (isFresh(settings.access, context.clock.now())) return redirect303(to);
  const { submission, posted, reply } = await readSubmission(request, confirmForm);
  const reject = (error?: ErrorCode, details: { waitMinutes?: number } = {}, headers: HeadersInit = {}) =>
    respondWith(loadConfirmPage(context, request, settings, { to, error, ...details }), headers);

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject("xsrf");
  if (submission.status !== "success") return reject(firstError(reply()));
  const input = { ...requestMetadata(context), password: submission.value.password };
  const outcome = await orOverloaded(() => reauthenticate(context, settings.access, input));
  switch (outcome.kind) {
    case "done":
      return redirect303(to, { "Set-Cookie": settingsCookie.keep(context.config, outcome.token) });
    case "wrong":
      return reject("Current password invalid");
    case "throttled":
      return reject("throttled", ...throttledDetails(outcome));
    case "overloaded":
      return reject("overloaded", {}, OVERLOAD_HEADERS);
    case "sign-in required":
      return redirect303(confirmUrl(to));
    case "unauthorized":
      // Another submission of this form may have replaced the page session: the guard of the page checks it again.
      return redirect303(to);
  }
}

export const headers = actionHeaders;

export const clientAction = keepForm;

/** Returns the settings page in the query. */
function targetOf(request: Request): string {
  return settingsTarget(new URL(request.url).searchParams.get("to"));
}

/** The page at /manage/confirm: asks for the password, or for a new sign-in, in the frame of the page `to`. */
export default function Confirm() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { error } = page.state;
  const problem = error ? confirmProblem(t, error, page.waitMinutes) : null;
  return (
    <SettingsPage
      title={page.heading}
      lead={t(leadOf(page))}
      parent={page.parent}
      before={
        error && problem ? (
          <ErrorSummary code={error} quote={problem.quote} problems={[problem]} takesFocus={!problem.field} />
        ) : null
      }
      tone={error ? "error" : "attention"}
    >
      {page.username === null ? (
        <div className="actions">
          <ButtonLink href={page.signInUrl}>{t("manageConfirm.submit")}</ButtonLink>
          <ButtonLink href={page.cancelUrl} quiet>
            {t("common.cancel")}
          </ButtonLink>
        </div>
      ) : (
        <PasswordForm
          key={formKey}
          {...page}
          username={page.username}
          error={problem?.field ? problem.text : undefined}
        />
      )}
    </SettingsPage>
  );
}

function leadOf({ username, isUnsaved }: ConfirmPage) {
  if (isUnsaved) return username === null ? "manageConfirm.unsavedSignIn" : "manageConfirm.unsaved";
  return username === null ? "manageConfirm.description" : "manageConfirm.lead";
}

const PASSWORD_FIELD = "password";

type PasswordFormProps = ConfirmPage & { username: string; error: string | undefined };

/** The form replaces its entry in the history, so that "Back" from the page skips it. */
function PasswordForm({ state, url, signInUrl, cancelUrl, username, error }: PasswordFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsForm className="flow" action={url} replace hiddenFields={{ _xsrf: state.xsrf_token }}>
      <AccountForManagers username={username} />
      <div className="pair">
        <PasswordField
          id={PASSWORD_FIELD}
          name="password"
          label={t("manageConfirm.password")}
          show={t("field.password.show")}
          hide={t("field.password.hide")}
          error={error}
          input={{
            autoComplete: "current-password",
            enterKeyHint: "go",
            required: true,
            autoFocus: error !== undefined,
          }}
        />
        <a className="line-link" href={signInUrl}>
          {t("manageConfirm.otherMethod")}
        </a>
      </div>
      <div className="actions">
        <Submit busy={t("manageConfirm.checking")}>{t("common.continue")}</Submit>
        <ButtonLink href={cancelUrl} quiet>
          {t("common.cancel")}
        </ButtonLink>
      </div>
    </SettingsForm>
  );
}

/** Returns the text of an error, and the field that it concerns. */
function confirmProblem(t: TFunction, error: ErrorCode, waitMinutes = 1): Problem & { quote?: string } {
  const field = PASSWORD_FIELD;
  switch (error) {
    case "No password given":
      return { quote: t("manageConfirm.quote.missing"), text: t("manageConfirm.error.missing"), field };
    case "Current password invalid":
      return { quote: t("manageConfirm.quote.wrong"), text: t("manageConfirm.error.wrong"), field };
    case "throttled":
      return { text: t("managePassword.error.tooMany", { count: waitMinutes }) };
    case "overloaded":
      return { text: t("serverError.overload.description") };
    case "xsrf":
      return { text: t("common.formExpired") };
    default:
      return { text: t("managePassword.error.parse") };
  }
}
