import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { CancelButton, CancelForm, methodHref, StepPage, type StepPageProps } from "./step-page.tsx";
import { VerifyCode, VerifyKey } from "./verify-forms.tsx";

/**
 * The content of the page: a `choose` between the factors, a code of the authenticator app, a security key, a recovery
 * code, the set-up of a first factor, or a button to `continue` after a factor was verified.
 */
export type VerifyMethod = "choose" | "totp" | "fido2" | "recovery" | "set-up" | "continue";

export type VerifyPageProps = StepPageProps & { method: VerifyMethod };

/** The page at /mfa/verify in each of its states; POST /mfa/setup also renders it when there is nothing to set up. */
export function VerifyPage({ method, ...props }: VerifyPageProps): ReactNode {
  if (isExpired(props.state)) return <Expired {...props} />;
  switch (method) {
    case "choose":
      return <FactorChoice {...props} />;
    case "totp":
    case "recovery":
      return <VerifyCode {...props} method={method} />;
    case "fido2":
      return <VerifyKey {...props} />;
    case "set-up":
      return <SetUpChoice {...props} />;
    case "continue":
      return <Continue {...props} />;
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
              <PickLink href={methodHref(state, "fido2")} label={t("mfaLogin.choose.fido2")} />
            </li>
          ) : null}
        </ul>
        {keysWork ? null : <p className="note">{t("webauthn.error.security")}</p>}
      </section>
      <CancelForm state={state} />
    </StepPage>
  );
}

/** A factor is required and none is registered. The authenticator app comes first: its set-up works without a script. */
function SetUpChoice(page: StepPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <StepPage page={page} title={t("mfaLogin.setup.heading")}>
      <p>{t("mfaLogin.setup.description")}</p>
      <form className="pair" method="post" action="/mfa/setup">
        <PendingInputs {...state} />
        <PickButton name="method" value="totp" label={t("mfaLogin.setup.totp")} hint={t("mfaLogin.setup.totpHint")} />
        {keysWork ? (
          <PickButton
            name="method"
            value="fido2"
            label={t("mfaLogin.setup.fido2")}
            hint={t("mfaLogin.setup.fido2Hint")}
          />
        ) : null}
      </form>
      <CancelForm state={state} />
    </StepPage>
  );
}

/** A JSON call has verified the factor, but the form was not submitted, for example after a reload. */
function Continue(page: StepPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <StepPage page={page} title={t("mfaLogin.heading")}>
      <p>{t("mfaLogin.confirmed")}</p>
      <form className="actions" method="post" action="/mfa/verify">
        <PendingInputs {...page.state} />
        <Submit>{t("mfaLogin.continueManually")}</Submit>
        <CancelButton />
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
function PickButton({ name, value, ...labels }: PickProps & { name: string; value: string }): ReactNode {
  return (
    <button className="pick" type="submit" name={name} value={value}>
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
