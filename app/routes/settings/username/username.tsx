import { getFormProps, getInputProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { changeUsername } from "#app/domain/account/change-username.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { forgetUsername } from "#app/http/remembered-username.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Field, USERNAME_INPUT } from "#app/ui/field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { loadUsernamePage, type UsernamePage, usernameForm } from "./username.server.ts";

const PATH = "/manage/credentials/username";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadUsernamePage(context, request, settings));
}

/** Changes the user name. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const { submission, posted, reply } = await readSubmission(request, usernameForm);
  const reject = (errors: FormErrors = {}, details: { waitMinutes?: number } = {}, headers: HeadersInit = {}) =>
    respondWith(loadUsernamePage(context, request, settings, { lastResult: reply(errors), ...details }), headers);

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject();
  const { username } = submission.value;
  const outcome = await changeUsername(context, settings.access, { ...requestMetadata(context), username });
  switch (outcome.kind) {
    case "done":
      // The name that this browser remembers may be the old one.
      return redirect303("/manage?status=username-success", forgetUsername(context));
    case "refused":
      return reject({ fieldErrors: { username: [outcome.code] } });
    case "throttled":
      return reject({ formErrors: ["throttled"] }, ...throttledDetails(outcome));
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const headers = actionHeaders;

export const clientAction = keepForm;

/** The page at /manage/credentials/username. */
export default function ChangeUsername() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { error, username } = page.state;
  const problem = error ? usernameProblem(t, error, page.waitMinutes) : null;
  return (
    <SettingsPage
      title={t("manageUsername.heading")}
      lead={<Emphasis text={t("manageUsername.current", { username })} part={username} />}
      parent="/manage"
      before={error && problem ? <ErrorSummary code={error} quote={problem.quote} problems={[problem]} /> : null}
      tone={error ? "error" : "normal"}
    >
      <UsernameForm key={formKey} {...page} error={problem?.field ? problem.text : undefined} />
    </SettingsPage>
  );
}

function UsernameForm({
  state,
  constraint,
  lastResult,
  error,
}: UsernamePage & { error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const [form, fields] = useForm<FormFields<typeof usernameForm>>({
    id: "username-form",
    constraint,
    lastResult,
  });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow"
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token }}
    >
      <Field
        id={USERNAME_FIELD}
        label={t("manageUsername.label")}
        hint={t("manageUsername.hint")}
        error={error}
        input={{
          ...getInputProps(fields.username, { type: "text", ariaAttributes: false }),
          ...USERNAME_INPUT,
          enterKeyHint: "done",
        }}
      />
      <p className="note">{t("manageUsername.others")}</p>
      <div className="actions">
        <Submit busy={t("managePassword.saving")}>{t("manageUsername.submit")}</Submit>
        <ButtonLink href="/manage" quiet>
          {t("manageUsername.abort")}
        </ButtonLink>
      </div>
    </SettingsForm>
  );
}

const USERNAME_FIELD = "username";

type FormProblem = { quote?: string; text: string; field?: string };

/** Returns the texts of an error, and the field that it concerns. */
function usernameProblem(t: TFunction, error: ErrorCode, waitMinutes = 1): FormProblem {
  const field = USERNAME_FIELD;
  switch (error) {
    case "username is empty":
      return { quote: t("manageUsername.quote.empty"), text: t("manageUsername.error.empty"), field };
    case "username is invalid":
      return { quote: t("manageUsername.quote.invalid"), text: t("manageUsername.error.invalid"), field };
    case "username not available":
      return { quote: t("manageUsername.quote.taken"), text: t("manageUsername.error.taken"), field };
    case "throttled":
      return { text: t("managePassword.error.tooMany", { count: waitMinutes }) };
    case "xsrf":
      return { text: t("manageUsername.error.formExpired") };
    default:
      return { quote: t("managePassword.quote.parse"), text: t("manageUsername.error.parse") };
  }
}
