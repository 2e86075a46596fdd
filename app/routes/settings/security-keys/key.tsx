import { getFormProps, getInputProps, useForm } from "@conform-to/react";
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { renameOwnKey } from "#app/domain/webauthn/own-keys.server.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { SecurityKeyDescription } from "#app/routes/settings/second-factors.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { keyForm, loadSecurityKeyPage, type SecurityKeyPage } from "./key.server.ts";

const FACTORS_PATH = "/manage/mfa";

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const page = await loadSecurityKeyPage(context, request, settings, { id: params.id ?? "" });
  if (!page) throw refusal(404, "page_not_found");
  return data(page, page.status);
}

/** Renames the security key or passkey. Redirects to the second factors when the key was removed in the meantime. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const id = params.id ?? "";
  const { submission, posted, reply } = await readSubmission(request, keyForm);
  const reject = async (errors: FormErrors = {}) => {
    const rejected = { lastResult: reply(errors), typedName: posted("name") };
    const page = await loadSecurityKeyPage(context, request, settings, { id, rejected });
    return page ? data(page, page.status) : redirect303(FACTORS_PATH);
  };

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject();
  const outcome = await renameOwnKey(context, settings.access, { id, name: submission.value.name });
  switch (outcome.kind) {
    case "done":
      return redirect303(`${FACTORS_PATH}?status=${outcome.isPasskey ? "passkey" : "key"}-renamed`);
    case "security key not found":
      return redirect303(FACTORS_PATH);
    default:
      return redirectNotAllowed(outcome, pathOf(encodeURIComponent(id)));
  }
}

export const clientAction = keepForm;

/** The page at /manage/mfa/keys/{id}, with the form that renames the security key or passkey, and a link to its removal. */
export default function SecurityKey() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { state, securityKey, typedName } = page;
  const { error } = state;
  const problem = error ? nameProblem(t, error, typedName) : null;
  return (
    <SettingsPage
      title={t(securityKey.passkey ? "managePasskey.one.title" : "manageKey.title")}
      lead={
        <>
          <b translate="no">{securityKey.name}</b>
          <SecurityKeyDescription {...securityKey} />
        </>
      }
      parent="/manage/mfa"
      before={error && problem ? <ErrorSummary code={error} problems={[problem]} /> : null}
      tone={error ? "error" : "normal"}
    >
      <NameForm key={formKey} {...page} error={problem?.field ? problem.text : undefined} />
      <p>
        <a className="line-link" href={`${pathOf(securityKey.id)}/remove`}>
          {t(securityKey.passkey ? "managePasskey.remove.submit" : "manageKey.remove.submit")}
        </a>
      </p>
    </SettingsPage>
  );
}

const NAME_FIELD = "key-name";

type NameFormProps = SecurityKeyPage & { error: string | undefined };

function NameForm({ state, securityKey, typedName, constraint, lastResult, error }: NameFormProps): ReactNode {
  const { t } = useTranslation();
  const isPasskey = securityKey.passkey !== null;
  const [form, fields] = useForm<FormFields<typeof keyForm>>({
    id: "name-form",
    constraint,
    defaultValue: { name: typedName ?? securityKey.name },
    lastResult,
  });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow flow-close"
      action={pathOf(securityKey.id)}
      hiddenFields={{ _xsrf: state.xsrf_token }}
    >
      <Field
        id={NAME_FIELD}
        label={t(isPasskey ? "managePasskey.one.name" : "manageKey.name.label")}
        hint={t(isPasskey ? "managePasskey.one.hint" : "manageKey.name.hint", { max: MAX_KEY_NAME_LENGTH })}
        error={error}
        input={{
          ...getInputProps(fields.name, { type: "text", ariaAttributes: false }),
          autoCapitalize: "sentences",
          enterKeyHint: "done",
          maxLength: MAX_KEY_NAME_LENGTH,
          required: true,
        }}
      />
      <div className="actions">
        <Submit>{t("manageKey.save")}</Submit>
      </div>
    </SettingsForm>
  );
}

function nameProblem(t: TFunction, error: ErrorCode, typedName: string | null): Problem {
  if (error === "xsrf") return { text: t("common.formExpired") };
  const isEmpty = (typedName ?? "").trim() === "";
  const text = isEmpty ? t("manageKey.error.empty") : t("manageKey.error.tooLong", { max: MAX_KEY_NAME_LENGTH });
  return { text, field: NAME_FIELD };
}

function pathOf(id: string): string {
  return `/manage/mfa/keys/${id}`;
}
