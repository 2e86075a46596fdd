import { getFormProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { finishOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import { Submit } from "#app/ui/submit.tsx";
import { SetUpStep, stepId, TotpSecret } from "#app/ui/totp-secret.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { type CodeErrorDetails, codeForm, loadRegisterTotpPage, type RegisterTotpPage } from "./register.server.ts";

const PATH = "/manage/mfa/register-totp";
const FACTORS_PATH = "/manage/mfa";

/** Shows the secret of this page session. The account changes only when the first code is accepted. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadRegisterTotpPage(context, request, settings, { path: PATH }));
}

/** Adds the authenticator app when its first code is correct. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const { submission, posted, reply } = await readSubmission(request, codeForm);
  const reject = async (errors: FormErrors, details: CodeErrorDetails = {}, headers: HeadersInit = {}) => {
    const rejected = { lastResult: reply(errors), ...details };
    return respondWith(loadRegisterTotpPage(context, request, settings, { path: PATH, rejected }), headers);
  };

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject({}, { refusal: "missing" });
  const { code } = submission.value;
  const outcome = await finishOwnTotp(context, settings.access, { ...requestMetadata(context), code });
  switch (outcome.kind) {
    case "done":
      return redirect303("/manage?status=mfa-success");
    case "invalid verification code": {
      const { kind, reason: refusal, clockOffSeconds } = outcome;
      return reject({ fieldErrors: { code: [kind] } }, { refusal, clockOffSeconds });
    }
    case "throttled":
      return reject({ formErrors: ["throttled"] }, ...throttledDetails(outcome));
    case "totp already registered":
    case "totp not found":
      return reject({ formErrors: [outcome.kind] });
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const headers = actionHeaders;

export const clientAction = keepForm;

/** The page at /manage/mfa/register-totp: the secret for the authenticator app and the form for its first code. */
export default function RegisterTotp() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { state, secret } = page;
  const { error } = state;
  const problems = error ? totpProblems(t, error, page) : [];
  const codeError = problems.find(({ field }) => field === CODE_FIELD)?.text;
  return (
    <SettingsPage
      title={t("manageTotp.heading")}
      parent={secret ? "/manage/mfa" : undefined}
      before={error ? <ErrorSummary code={error} problems={problems} takesFocus={!codeError} /> : null}
      tone={error ? "error" : "normal"}
    >
      {secret ? (
        <>
          <TotpSecret {...secret} />
          <CodeForm key={formKey} {...page} error={codeError} />
        </>
      ) : (
        <div className="actions">
          <ButtonLink href={FACTORS_PATH}>{t("manageMfa.back")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

function CodeForm({
  state,
  constraint,
  lastResult,
  error,
}: RegisterTotpPage & { error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const [form] = useForm<FormFields<typeof codeForm>>({ id: "code-form", constraint, lastResult });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow"
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token }}
    >
      <SetUpStep number={2} title={t("manageTotp.code.heading")} />
      <CodeField error={error} />
      <div className="actions">
        <Submit busy={t("mfaLogin.totp.checking")}>{t("manageTotp.confirm")}</Submit>
        <ButtonLink href="/manage" quiet>
          {t("manageTotp.abort")}
        </ButtonLink>
      </div>
      <a className="line-link" href={`#${stepId(1)}`}>
        {t("manageTotp.back")}
      </a>
    </SettingsForm>
  );
}

function totpProblems(
  t: TFunction,
  error: ErrorCode,
  { refusal, clockOffSeconds, waitMinutes }: CodeErrorDetails,
): Problem[] {
  switch (error) {
    case "totp already registered":
      return [{ text: t("manageError.totp_already_registered") }];
    case "totp not found":
      return [{ text: t("manageError.totp_not_found") }];
    default:
      return secondFactorProblems(t, { error }, { refusal, clockOffSeconds, waitMinutes, code: "totp" });
  }
}
