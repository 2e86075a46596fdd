import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { CODE_TEXTS, type CodeKind, secondFactorProblems } from "#app/ui/factor-errors.ts";
import { factorTexts, keyTexts } from "#app/ui/factor-texts.ts";
import { KeyForm } from "#app/ui/key-form.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { CancelButton, CancelForm, methodHref, StepPage, type StepPageProps } from "./step-page.tsx";

/** Asks for a code of the authenticator app, or for a recovery code. */
export function VerifyCode({ method, ...page }: StepPageProps & { method: CodeKind }): ReactNode {
  const { t } = useTranslation();
  const { state, recoveryCodesLeft } = page;
  const [problem] = secondFactorProblems(t, state, { ...page, code: method });
  const isRecovery = method === "recovery";
  const hasOtherMethod = isRecovery || state.fido2Registered;
  return (
    <StepPage page={page} title={t("mfaLogin.heading")} code={method} help={isRecovery ? "contact" : "recovery"}>
      <section className="flow" aria-labelledby="method">
        <div className="pair">
          <h2 id="method">{isRecovery ? t("recovery.use") : t("mfaLogin.totp.heading")}</h2>
          <p className="lead">{isRecovery ? t("recovery.enter") : t("mfaLogin.totp.description")}</p>
          {isRecovery ? <p className="note">{t("recovery.remaining", { count: recoveryCodesLeft })}</p> : null}
        </div>
        {/* The client script checks the code with a JSON call and then submits the form; without it the form does both. */}
        <code-entry texts={factorTexts(t, { restartHref: methodHref(state), texts: codeTexts(t, method) })}>
          <form className="flow" method="post" action="/mfa/verify" noValidate>
            <PendingInputs {...state} />
            <input type="hidden" name="method" value={method} />
            <CodeField kind={method} error={problem?.field === CODE_FIELD ? problem.text : undefined} />
            <div className="actions">
              <Submit busy={t("mfaLogin.totp.checking")}>{t("mfaLogin.totp.submit")}</Submit>
              <CancelButton />
            </div>
            <p className="visually-hidden" aria-live="polite" />
          </form>
        </code-entry>
        {hasOtherMethod ? <OtherMethodLink page={page} /> : null}
      </section>
    </StepPage>
  );
}

function codeTexts(t: TFunction, kind: CodeKind): Record<string, string> {
  const texts = CODE_TEXTS[kind];
  return {
    checking: t("mfaLogin.totp.checking"),
    success: t("mfaLogin.totp.success"),
    missing: t(texts.missing),
    malformed: t(texts.malformed),
    wrong: t(texts.wrong),
    used: t(texts.used),
  };
}

/** Asks for a registered security key, which needs JavaScript; offers the authenticator app without it. */
export function VerifyKey(page: StepPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <StepPage page={page} title={t("mfaLogin.heading")} help="recovery">
      <section className="flow" aria-labelledby="method">
        <h2 id="method">{t("mfaLogin.fido2.heading")}</h2>
        {keysWork ? <KeyCheck page={page} /> : <KeysUnavailable page={page} />}
      </section>
      {keysWork && state.totpRegistered ? <OtherMethodLink page={page} /> : null}
    </StepPage>
  );
}

function KeyCheck({ page: { state } }: { page: StepPageProps }): ReactNode {
  const { t } = useTranslation();
  const texts = {
    ...keyTexts(t),
    success: t("mfaLogin.fido2.success"),
    "unknown key": t("webauthn.error.unknownKey"),
    counter: t("webauthn.error.counter"),
  };
  return (
    <KeyForm
      action="/mfa/verify"
      purpose="verify"
      texts={factorTexts(t, { restartHref: methodHref(state), texts })}
      hidden={<PendingInputs {...state} />}
      alternatives={<TotpInstead state={state} />}
      cancel={<CancelButton />}
    />
  );
}

/** The web address of this installation does not allow security keys. */
function KeysUnavailable({ page: { state } }: { page: StepPageProps }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <Notice kind="attention">
        <p>{t("webauthn.error.security")}</p>
      </Notice>
      <TotpInstead state={state} />
      <CancelForm state={state} />
    </>
  );
}

function TotpInstead({ state }: Pick<StepPageProps, "state">): ReactNode {
  const { t } = useTranslation();
  if (!state.totpRegistered) return null;
  return <ButtonLink href={methodHref(state, "totp")}>{t("mfaLogin.choose.totp")}</ButtonLink>;
}

function OtherMethodLink({ page: { state } }: { page: StepPageProps }): ReactNode {
  const { t } = useTranslation();
  return (
    <a className="line-link" href={methodHref(state)}>
      {t("mfaLogin.choose.other")}
    </a>
  );
}
