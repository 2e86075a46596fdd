import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { finishOwnTotp } from "#app/domain/settings/totp.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, throttledProblem } from "#app/routes/settings/change.server.ts";
import { SettingsPage, useDocumentState } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import type { OwnTotpError } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { SetUpStep, stepId, TotpSecret } from "#app/ui/totp-secret.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  type CodeErrorDetails,
  type CodeProblem,
  loadRegisterTotpPage,
  type RegisterTotpPage,
} from "./register.server.ts";

const PATH = "/manage/mfa/register-totp";
const FACTORS_PATH = "/manage/mfa";

const schema = z.object({ _xsrf: z.string().default(""), code: z.string().default("") });

/** Shows the secret of this page session. The account changes only when the first code is accepted. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const page = await loadRegisterTotpPage(context, request, settings, { path: PATH });
  return data(page, page.status);
}

/** Adds the authenticator app when its first code is correct. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf", "code"]);
  const { _xsrf, code } = schema.parse(form.ok ? form.value : form.values);
  const reject = async (problem: CodeProblem, headers: Record<string, string> = {}) => {
    const page = await loadRegisterTotpPage(context, request, settings, { path: PATH, problem });
    return data(page, { status: page.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return reject({ error: "xsrf" });
  if (code.trim() === "") return reject({ error: "invalid verification code", refusal: "missing" });
  const outcome = await finishOwnTotp(context, settings.access, { ...requestMetadata(context), code });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303("/manage?status=mfa-success");
    case "invalid verification code": {
      const { kind: error, reason: refusal, clockOffSeconds } = outcome;
      return reject({ error, refusal, clockOffSeconds });
    }
    case "throttled":
      return reject(...throttledProblem(outcome));
    case "totp already registered":
    case "totp not found":
      return reject({ error: outcome.kind });
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

/** Sends `Retry-After` of a throttled attempt. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

/** The page at /manage/mfa/register-totp: the secret for the authenticator app and the form for its first code. */
export default function RegisterTotp() {
  const { t } = useTranslation();
  const loaded = useLoaderData<typeof loader>();
  const page: RegisterTotpPage | null = useDocumentState(useActionData<typeof action>() ?? loaded);
  if (!page) return null;
  const { state, secret } = page;
  const { error } = state;
  const problems = error ? totpProblems(t, error, page) : [];
  const codeError = problems.find(({ field }) => field === CODE_FIELD)?.text;
  return (
    <SettingsPage
      title={t("manageTotp.heading")}
      {...(secret ? { back: { to: FACTORS_PATH, text: t("manageMfa.back") } } : {})}
      before={error ? <ErrorSummary code={error} problems={problems} takesFocus={!codeError} /> : null}
      tone={error ? "error" : "normal"}
    >
      {secret ? (
        <>
          <TotpSecret {...secret} />
          <CodeForm xsrf={state.xsrf_token} error={codeError} />
        </>
      ) : (
        <div className="actions">
          <ButtonLink href={FACTORS_PATH}>{t("manageMfa.back")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

function CodeForm({ xsrf, error }: { xsrf: string; error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <form className="flow" method="post" action={PATH} noValidate>
      <XsrfInput token={xsrf} />
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
    </form>
  );
}

function totpProblems(
  t: TFunction,
  error: OwnTotpError,
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
