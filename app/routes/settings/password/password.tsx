import { getFormProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { changePassword } from "#app/domain/account/change-password.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { checkRules } from "#app/domain/password/rules.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Checkbox } from "#app/ui/checkbox.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { NEW_PASSWORD_FIELD, NewPasswordFields, REPEAT_FIELD } from "#app/ui/new-password-fields.tsx";
import { NewPasswordForm } from "#app/ui/new-password-form.tsx";
import { PasswordField } from "#app/ui/password-field.tsx";
import { SavePassword } from "#app/ui/save-password.tsx";
import { TipsCard } from "#app/ui/tips-card.tsx";
import { usePage } from "#app/ui/use-page.ts";
import {
  loadPasswordPage,
  type PasswordErrorDetails,
  type PasswordPage,
  passwordForm,
  requirePasswordSettings,
} from "./password.server.ts";

const PATH = "/manage/credentials/password";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requirePasswordSettings(context, request);
  return respondWith(loadPasswordPage(context, request, settings));
}

/** Changes the password. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requirePasswordSettings(context, request);
  const { submission, posted, reply } = await readSubmission(request, passwordForm);
  const endOthers = posted("endOthers") !== "";
  const reject = async (errors: FormErrors, details: PasswordErrorDetails = {}, headers: HeadersInit = {}) => {
    const rejected = { lastResult: reply(errors), endsOthers: endOthers, ...details };
    return respondWith(loadPasswordPage(context, request, settings, rejected), headers);
  };

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") {
    return reject({}, { rules: checkRules(posted("newPassword"), posted("newPasswordRepeat")) });
  }
  const { password, newPassword, newPasswordRepeat } = submission.value;
  const input = { ...requestMetadata(context), password, newPassword, newPasswordRepeat, endOthers, isProof: true };
  const outcome = await orOverloaded(() => changePassword(context, settings.access, input));
  switch (outcome.kind) {
    case "done":
      return redirect303("/manage?status=password-success");
    case "refused":
      return reject({ formErrors: [outcome.code] }, { rules: outcome.rules, containsName: outcome.containsName });
    case "throttled":
      return reject({ formErrors: ["throttled"] }, ...throttledDetails(outcome));
    case "overloaded":
      return reject({ formErrors: ["overloaded"] }, {}, OVERLOAD_HEADERS);
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const headers = actionHeaders;

export const clientAction = keepForm;

/** The page at /manage/credentials/password. */
export default function ChangePassword() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { error } = page.state;
  const problem = error ? passwordProblem(t, error, page) : null;
  return (
    <SettingsPage
      title={t("managePassword.heading")}
      lead={page.hasPassword ? null : t("managePassword.none.description")}
      parent="/manage"
      before={
        error && problem ? (
          <ErrorSummary
            code={error}
            quote={problem.quote}
            problems={[problem]}
            takesFocus={problem.field !== CURRENT_FIELD}
          />
        ) : null
      }
      tone={error ? "error" : "normal"}
    >
      {page.hasPassword ? (
        <div className="beside">
          <PasswordForm
            key={formKey}
            {...page}
            errorAt={(field) => (problem?.field === field ? problem.text : undefined)}
          />
          <TipsCard />
        </div>
      ) : (
        <div className="actions">
          <ButtonLink href={RESET_URL}>{t("managePassword.none.action")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

/** The password reset by mail, for users who have no password or forgot it. */
const RESET_URL = "/password-reset/request-form";

const CURRENT_FIELD = "current-password";

type PasswordFormProps = PasswordPage & { errorAt(field: string): string | undefined };

function PasswordForm({
  state,
  constraint,
  lastResult,
  username,
  endsOthers,
  rules = [],
  errorAt,
}: PasswordFormProps): ReactNode {
  const { t } = useTranslation();
  const [form, fields] = useForm<FormFields<typeof passwordForm>>({ id: "password-form", constraint, lastResult });
  return (
    <NewPasswordForm
      {...getFormProps(form, { ariaAttributes: false })}
      as={SettingsForm}
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token }}
      username={username}
    >
      <div className="pair">
        <PasswordField
          id={CURRENT_FIELD}
          name={fields.password.name}
          label={t("field.currentPassword.label")}
          show={t("field.currentPassword.show")}
          hide={t("field.currentPassword.hide")}
          error={errorAt(CURRENT_FIELD)}
          input={{
            autoComplete: "current-password",
            enterKeyHint: "next",
            required: fields.password.required,
            autoFocus: errorAt(CURRENT_FIELD) !== undefined,
          }}
        />
        <a className="line-link" href={RESET_URL}>
          {t("managePassword.forgot")}
        </a>
      </div>
      <NewPasswordFields
        names={{ password: fields.newPassword.name, repeat: fields.newPasswordRepeat.name }}
        errors={{ password: errorAt(NEW_PASSWORD_FIELD), repeat: errorAt(REPEAT_FIELD) }}
        rules={rules}
      />
      <Checkbox
        id="end-others"
        name={fields.endOthers.name}
        label={t("managePassword.endOthers")}
        hint={t("managePassword.endOthersHint")}
        isChecked={endsOthers}
      />
      <SavePassword
        busy={t("managePassword.saving")}
        beside={
          <ButtonLink href="/manage" quiet>
            {t("managePassword.abort")}
          </ButtonLink>
        }
      >
        {t("managePassword.submit")}
      </SavePassword>
    </NewPasswordForm>
  );
}

type FormProblem = { quote: string; text: string; field?: string };

/** Returns the texts of an error, and the field that it concerns. */
function passwordProblem(
  t: TFunction,
  error: ErrorCode,
  { containsName = false, waitMinutes = 1 }: PasswordErrorDetails,
): FormProblem {
  const quote = t("managePassword.error.summary");
  const at = (field: string, text: string, ownQuote = quote): FormProblem => ({ quote: ownQuote, text, field });
  switch (error) {
    case "No password given":
      return at(CURRENT_FIELD, t("managePassword.error.currentMissing"), t("managePassword.quote.currentMissing"));
    case "Current password invalid":
      return at(CURRENT_FIELD, t("managePassword.error.currentInvalid"), t("managePassword.quote.currentInvalid"));
    case "empty-password":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.newMissing"), t("managePassword.quote.newMissing"));
    case "empty-password-repeat":
      return at(REPEAT_FIELD, t("managePassword.error.repeatMissing"), t("managePassword.quote.repeatMissing"));
    case "passwords-not-equal":
      return at(REPEAT_FIELD, t("managePassword.error.notEqual"), t("managePassword.quote.notEqual"));
    case "password-strength":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.rules"), t("managePassword.quote.rules"));
    case "password-common":
      return at(NEW_PASSWORD_FIELD, t(containsName ? "managePassword.error.name" : "managePassword.error.common"));
    case "password-unchanged":
      return at(NEW_PASSWORD_FIELD, t("managePassword.error.sameAsOld"));
    case "throttled":
      return { quote, text: t("managePassword.error.tooMany", { count: waitMinutes }) };
    case "xsrf":
      return { quote, text: t("managePassword.error.formExpired") };
    case "overloaded":
      return { quote, text: t("serverError.overload.description") };
    default:
      return { quote: t("managePassword.quote.parse"), text: t("managePassword.error.parse") };
  }
}
