import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Checkbox } from "#app/ui/checkbox.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { CODE_TEXTS, type CodeKind, secondFactorProblems } from "#app/ui/factor-errors.ts";
import { factorTexts, keyText, keyTexts } from "#app/ui/factor-texts.ts";
import { KeyForm } from "#app/ui/key-form.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { CancelButton, CancelForm, methodHref, StepPage, type StepPageProps } from "./step-page.tsx";

/**
 * The content of the page: a `choose` between the factors, a code of the authenticator app, a security key, a recovery
 * code, the set-up of a first factor, or a button to `continue` after a factor was verified.
 */
export type VerifyMethod = "choose" | "totp" | "fido2" | "recovery" | "set-up" | "continue";

export type VerifyPageProps = StepPageProps & {
  method: VerifyMethod;
  /** The offer to remember the device; null or left out if it is not offered. `isChecked`: of the refused form. */
  remember?: RememberOffer | null | undefined;
};

type RememberOffer = { days: number; isChecked: boolean };

type RememberProps = Pick<VerifyPageProps, "remember">;

/** The page at /mfa/verify in each of its states; POST /mfa/setup also renders it when there is nothing to set up. */
export function VerifyPage({ method, remember, ...props }: VerifyPageProps): ReactNode {
  if (isExpired(props.state)) return <Expired {...props} />;
  switch (method) {
    case "choose":
      return <FactorChoice {...props} />;
    case "totp":
      return <VerifyCode {...props} method={method} remember={remember} />;
    case "recovery":
      return <VerifyCode {...props} method={method} />;
    case "fido2":
      return <VerifyKey {...props} remember={remember} />;
    case "set-up":
      return <SetUpChoice {...props} />;
    case "continue":
      return <Continue {...props} remember={remember} />;
  }
}

export function verifyTitle(t: TFunction, state: SecondFactorState, method: VerifyMethod): string {
  const isSetUp = method === "set-up" && !isExpired(state);
  return pageTitle(t, t(isSetUp ? "mfaLogin.setup.heading" : "mfaLogin.title"), state.error !== undefined);
}

function isExpired({ error }: SecondFactorState): boolean {
  return error === "unauthorized" || error === "challenge";
}

/** The pending sign-in has ended. Shows nothing of it; the same authorization request can start again. */
function Expired({ state, client }: Pick<StepPageProps, "state" | "client">): ReactNode {
  const { t } = useTranslation();
  const restart = `/login?${new URLSearchParams({ login_challenge: state.loginChallenge })}`;
  return (
    <Page
      title={t("mfaLogin.heading")}
      before={
        <Alert kind="error" code={state.error ?? "unauthorized"} word={t("common.errorSummaryTitle")}>
          <p>{t("mfaLogin.error.expired")}</p>
        </Alert>
      }
      tone="error"
      client={client}
    >
      <ButtonLink href={restart}>{t("login.error.challengeRestart")}</ButtonLink>
      <Reference />
    </Page>
  );
}

/** Both kinds of factors are registered: the user selects one. */
function FactorChoice(page: StepPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <StepPage page={page} title={t("mfaLogin.heading")} help="recovery">
      <section className="flow flow-close" aria-labelledby="choose">
        <h2 id="choose">{t("mfaLogin.choose.heading")}</h2>
        <ul className="pair">
          <li>
            <PickLink href={methodHref(state, "totp")} label={t("mfaLogin.choose.totp")} />
          </li>
          {keysWork ? (
            <li>
              <PickLink
                href={methodHref(state, "fido2")}
                label={t(page.hasPasskeys ? "mfaLogin.passkeyOrKey.choose" : "mfaLogin.choose.fido2")}
              />
            </li>
          ) : null}
        </ul>
        {keysWork ? null : <p className="note">{keyText(t, "security", page)}</p>}
      </section>
      <CancelForm state={state} />
    </StepPage>
  );
}

/**
 * A factor is required and none is registered. The authenticator app comes first: its set-up works without a script.
 */
function SetUpChoice(page: StepPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <StepPage page={page} title={t("mfaLogin.setup.heading")}>
      <p>{t("mfaLogin.setup.description")}</p>
      <form className="pair" method="post" action="/mfa/setup">
        <PendingInputs {...state} />
        <PickButton method="totp" label={t("mfaLogin.setup.totp")} hint={t("mfaLogin.setup.totpHint")} />
        {keysWork ? (
          <PickButton method="fido2" label={t("mfaLogin.setup.fido2")} hint={t("mfaLogin.setup.fido2Hint")} />
        ) : null}
      </form>
      <CancelForm state={state} />
    </StepPage>
  );
}

/** A JSON call has verified the factor, but the form was not submitted, for example after a reload. */
function Continue({ remember, ...page }: StepPageProps & RememberProps): ReactNode {
  const { t } = useTranslation();
  return (
    <StepPage page={page} title={t("mfaLogin.heading")}>
      <p>{t("mfaLogin.confirmed")}</p>
      <form className="flow" method="post" action="/mfa/verify">
        <PendingInputs {...page.state} />
        <RememberDevice remember={remember} />
        <div className="actions">
          <Submit>{t("mfaLogin.continueManually")}</Submit>
          <CancelButton />
        </div>
      </form>
    </StepPage>
  );
}

type PickProps = { label: string; hint?: string };

/** A choice that only opens another page. */
function PickLink({ href, ...labels }: PickProps & { href: string }): ReactNode {
  return (
    <a className="pick" href={href}>
      <PickLabel {...labels} />
    </a>
  );
}

/** A choice that changes something: a submit button. */
function PickButton({ method, ...labels }: PickProps & { method: "totp" | "fido2" }): ReactNode {
  return (
    <button className="pick" type="submit" name="method" value={method}>
      <PickLabel {...labels} />
    </button>
  );
}

function PickLabel({ label, hint }: PickProps): ReactNode {
  return (
    <>
      <span>
        <b>{label}</b>
        {hint ? <small>{hint}</small> : null}
      </span>
      <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.75" aria-hidden="true">
        <path d="m8 5 5 5-5 5" />
      </svg>
    </>
  );
}

/** Asks for a code of the authenticator app, or for a recovery code. */
function VerifyCode({ method, remember, ...page }: StepPageProps & RememberProps & { method: CodeKind }): ReactNode {
  const { t } = useTranslation();
  const { state, recoveryCodesLeft, keysWork } = page;
  const [problem] = secondFactorProblems(t, state, { ...page, code: method });
  const isRecovery = method === "recovery";
  return (
    <StepPage page={page} title={t("mfaLogin.heading")} code={method} help={isRecovery ? "contact" : "recovery"}>
      <div className="flow">
        {isRecovery && recoveryCodesLeft > 0 ? (
          <p className="note">{t("recovery.remaining", { count: recoveryCodesLeft })}</p>
        ) : null}
        {/* The client script checks the code with a JSON call and then submits the form; without it the form does both. */}
        <code-entry texts={factorTexts(t, { restartHref: methodHref(state), texts: codeTexts(t, method) })}>
          <form className="flow" method="post" action="/mfa/verify" noValidate>
            <PendingInputs {...state} />
            <input type="hidden" name="method" value={method} />
            <CodeField
              kind={method}
              hint={isRecovery ? t("recovery.code.hint") : t("mfaLogin.totp.hint")}
              error={problem?.field === CODE_FIELD ? problem.text : undefined}
            />
            <RememberDevice remember={remember} />
            <div className="actions">
              <Submit busy={t("mfaLogin.totp.checking")}>{t("mfaLogin.totp.submit")}</Submit>
              <CancelButton />
            </div>
            <p className="visually-hidden" aria-live="polite" />
          </form>
        </code-entry>
        {isRecovery ? <MethodLink href={methodHref(state)}>{t("mfaLogin.choose.other")}</MethodLink> : null}
        {!isRecovery && state.fido2Registered && keysWork ? (
          <MethodLink href={methodHref(state, "fido2")}>{keyHeading(t, page)}</MethodLink>
        ) : null}
      </div>
    </StepPage>
  );
}

/** The offer to skip the second step in this browser. */
function RememberDevice({ remember }: RememberProps): ReactNode {
  const { t } = useTranslation();
  if (!remember) return null;
  return (
    <Checkbox
      id="remember-device"
      name="remember_device"
      label={t("mfaLogin.remember.label", { count: remember.days })}
      hint={t("mfaLogin.remember.hint")}
      isChecked={remember.isChecked}
    />
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
function VerifyKey({ remember, ...page }: StepPageProps & RememberProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <StepPage page={page} title={t("mfaLogin.heading")} help="recovery">
      <section className="flow" aria-labelledby="method">
        <h2 id="method">{page.hasPasskeys ? keyHeading(t, page) : t("mfaLogin.fido2.heading")}</h2>
        {keysWork ? <KeyCheck page={page} remember={remember} /> : <KeysUnavailable page={page} />}
      </section>
      {keysWork && state.totpRegistered ? (
        <MethodLink href={methodHref(state, "totp")}>{t("mfaLogin.choose.useTotp")}</MethodLink>
      ) : null}
    </StepPage>
  );
}

/** Returns the text of the button that starts the check of a key or passkey. */
function keyHeading(t: TFunction, { hasPasskeys }: Pick<StepPageProps, "hasPasskeys">): string {
  return t(hasPasskeys ? "mfaLogin.passkeyOrKey.heading" : "mfaLogin.fido2.start");
}

function KeyCheck({ page, remember }: { page: StepPageProps } & RememberProps): ReactNode {
  const { t } = useTranslation();
  const { state, hasPasskeys } = page;
  const texts = {
    ...keyTexts(t, page),
    success: keyText(t, "success", page),
    "unknown key": keyText(t, "unknownKey", page),
    counter: keyText(t, "counter", page),
  };
  return (
    <KeyForm
      action="/mfa/verify"
      purpose="verify"
      texts={factorTexts(t, { restartHref: methodHref(state), texts })}
      {...(hasPasskeys ? { start: keyHeading(t, page), prompt: t("mfaLogin.passkeyOrKey.prompt") } : {})}
      hidden={<PendingInputs {...state} />}
      option={<RememberDevice remember={remember} />}
      alternatives={<TotpInstead state={state} />}
      cancel={<CancelButton />}
    />
  );
}

/** The web address of this installation does not allow security keys. */
function KeysUnavailable({ page }: { page: StepPageProps }): ReactNode {
  const { t } = useTranslation();
  const { state } = page;
  return (
    <>
      <Notice kind="attention">
        <p>{keyText(t, "security", page)}</p>
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

function MethodLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  return (
    <a className="line-link" href={href}>
      {children}
    </a>
  );
}
