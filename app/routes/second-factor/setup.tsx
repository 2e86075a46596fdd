import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { findFirstKey, nameFirstKey } from "#app/domain/second-factor/key-set-up.server.ts";
import { finishTotpSetUp, startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { actionHeaders, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import { factorTexts, keyTexts } from "#app/ui/factor-texts.ts";
import { KeyForm, WithoutScript } from "#app/ui/key-form.tsx";
import { KeyNameField } from "#app/ui/key-name-field.tsx";
import { Page } from "#app/ui/page.tsx";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { SetUpStep, TotpSecret } from "#app/ui/totp-secret.tsx";
import { usePage } from "#app/ui/use-page.ts";
import {
  codeProblem,
  requireOpenRequest,
  type StepProblem,
  stepUrl,
  throttledProblem,
} from "./second-factor.server.ts";
import {
  type KeyNamingProps,
  type KeySetUpProps,
  loadSetUpPage,
  loadUnavailableSetUp,
  type SetUpPageProps,
  type TotpSetUpProps,
} from "./setup.server.ts";
import { methodHref } from "./step-page.tsx";
import { VerifyPage } from "./verify-page.tsx";

const setUpForm = defineForm({
  login_challenge: text(),
  mfa_token: text(),
  method: text(),
  code: z.string().optional(),
  name: z.string().trim().max(MAX_KEY_NAME_LENGTH).optional(),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const challenge = query.get("login_challenge") ?? "";
  return respondWith(loadSetUpPage(context, request, { challenge, method: query.get("method") }));
}

/**
 * Starts the set-up of the factor that `method` names, finishes that of an authenticator app with its first code, or
 * names the security key that the script registered.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const posted = await readForm(request, setUpForm);
  return orUnavailable(context, request, {
    work: () => handleForm(context, request, posted),
    fallback: () => respondWith(loadUnavailableSetUp(context, request, posted), OVERLOAD_HEADERS),
  });
}

async function handleForm(context: LoadContext, request: Request, posted: z.output<(typeof setUpForm)["schema"]>) {
  const { login_challenge: challenge, method, code, name, mfa_token: mfaToken } = posted;
  const showAgain = (problem: StepProblem, headers: Record<string, string> = {}) =>
    respondWith(loadSetUpPage(context, request, { challenge, method, problem }), headers);

  await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return showAgain({ error: "xsrf" });
  if (name !== undefined) {
    const named = await nameFirstKey(context, { mfaToken, browser: context.browser, name });
    // Another tab has replaced the mfa_token.
    if (named.kind === "unauthorized") return showAgain({ error: "xsrf" });
    return redirect303(stepUrl("/mfa/recovery-codes", challenge));
  }
  // After a JSON call has set up a factor, the form contains only the mfa_token. The next page asks for a key's name.
  if (code === undefined && method === "") {
    const key = await findFirstKey(context, await findPending(context, { mfaToken, browser: context.browser }));
    if (key) return redirect303(`${stepUrl("/mfa/setup", challenge)}&method=fido2`);
    return redirect303(stepUrl("/mfa/recovery-codes", challenge));
  }
  if (code === undefined) {
    if (method === "totp") await startTotpSetUp(context, { mfaToken, browser: context.browser });
    return redirect303(`${stepUrl("/mfa/setup", challenge)}&method=${method === "fido2" ? "fido2" : "totp"}`);
  }
  if (code.trim() === "") return showAgain({ error: "invalid verification code", refusal: "missing" });
  const outcome = await finishTotpSetUp(context, { ...requestMetadata(context), mfaToken, code });
  switch (outcome.kind) {
    case "verified":
      return redirect303(stepUrl("/mfa/recovery-codes", challenge));
    case "reauthentication_required":
      // /mfa/verify redirects to the sign-in form.
      return redirect303(stepUrl("/mfa/verify", challenge));
    case "throttled":
      return showAgain(...throttledProblem(outcome));
    case "factor already registered":
    case "totp not found":
      return showAgain({ error: outcome.kind });
    default:
      return showAgain(codeProblem(outcome));
  }
}

export const headers = actionHeaders;

export default function MfaSetUp() {
  return <SetUpPage {...usePage<typeof loader, typeof action>()} />;
}

function SetUpPage(props: SetUpPageProps): ReactNode {
  switch (props.page) {
    case "totp":
      return <TotpSetUp {...props} />;
    case "key":
      return <KeySetUp {...props} />;
    case "name":
      return <KeyNaming {...props} />;
    case "step":
      return <VerifyPage {...props} />;
  }
}

/** Sets up an authenticator app: shows the secret as QR code, text and link, and asks for a first code. */
export function TotpSetUp(props: TotpSetUpProps): ReactNode {
  const { t } = useTranslation();
  const { state, client } = props;
  const problems = secondFactorProblems(t, state, { ...props, code: "totp" });
  const fieldError = problems.find(({ field }) => field === CODE_FIELD)?.text;
  return (
    <Page
      title={t("manageTotp.heading")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} takesFocus={!fieldError} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
      wide
    >
      <TotpSecret {...props} />
      <form className="flow" method="post" action="/mfa/setup" noValidate>
        <PendingInputs {...state} />
        <SetUpStep number={2} title={t("manageTotp.code.heading")} />
        <CodeField error={fieldError} />
        <div className="actions">
          <Submit busy={t("mfaLogin.totp.checking")}>{t("manageTotp.confirm")}</Submit>
          <ButtonLink href={methodHref(state)} quiet>
            {t("manageTotp.abort")}
          </ButtonLink>
        </div>
      </form>
    </Page>
  );
}

/** Sets up a security key, which needs JavaScript. */
export function KeySetUp(props: KeySetUpProps): ReactNode {
  const { t } = useTranslation();
  const { state, client } = props;
  const problems = secondFactorProblems(t, state, props);
  return (
    <Page
      title={t("manageFido2.heading")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
      wide
    >
      <KeyForm
        action="/mfa/setup"
        purpose="set-up"
        texts={factorTexts(t, {
          restartHref: methodHref(state),
          texts: {
            ...keyTexts(t),
            success: t("mfaLogin.fido2.success"),
            InvalidStateError: t("webauthn.error.invalidState"),
            "factor already registered": t("mfaLogin.setup.done"),
            reauthentication_required: t("login.proof.setUp"),
          },
        })}
        hidden={<PendingInputs {...state} />}
        cancel={
          <>
            <WithoutScript>
              <Submit name="method" value="totp">
                {t("mfaLogin.setup.totp")}
              </Submit>
            </WithoutScript>
            <ButtonLink href={methodHref(state)} quiet>
              {t("manageTotp.abort")}
            </ButtonLink>
          </>
        }
      />
    </Page>
  );
}

/** Asks for the name of the security key that was set up, which already has a default name. */
export function KeyNaming({ state, client, keyName }: KeyNamingProps): ReactNode {
  const { t } = useTranslation();
  const problems = secondFactorProblems(t, state, {});
  return (
    <Page
      title={t("manageFido2.naming.heading")}
      lead={t("manageFido2.naming.lead")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      <form className="flow" method="post" action="/mfa/setup">
        <PendingInputs {...state} />
        <input type="hidden" name="method" value="fido2" />
        <KeyNameField defaultName={keyName} />
        <div className="actions">
          <Submit>{t("manageFido2.naming.submit")}</Submit>
        </div>
      </form>
    </Page>
  );
}
