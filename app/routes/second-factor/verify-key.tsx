import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { FactorTexts } from "#app/ui/factor-texts.tsx";
import { KeyForm } from "#app/ui/key-form.tsx";
import { keyTexts } from "#app/ui/key-texts.ts";
import { NeedsScript } from "#app/ui/needs-script.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { ASSERTION_TIMEOUT_SECONDS } from "#app/ui/security-key.tsx";
import { CancelButton, CancelForm } from "./cancel-sign-in.tsx";
import { methodHref, SecondFactorPage, type SecondFactorPageProps } from "./page.tsx";

/** Asks for a registered security key, by script; without one the page says what to do instead. */
export function SecondFactorKey(page: SecondFactorPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <SecondFactorPage page={page} title={t("mfaLogin.heading")} help="recovery">
      <section className="flow" aria-labelledby="method">
        <h2 id="method">{t("mfaLogin.fido2.heading")}</h2>
        {keysWork ? <KeyCheck page={page} /> : <NoKeysHere page={page} />}
      </section>
      {keysWork && state.totpRegistered ? (
        <a className="line-link" href={methodHref(state)}>
          {t("mfaLogin.choose.other")}
        </a>
      ) : null}
    </SecondFactorPage>
  );
}

function KeyCheck({ page: { state } }: { page: SecondFactorPageProps }): ReactNode {
  const { t } = useTranslation();
  const texts = {
    ...keyTexts(t),
    success: t("mfaLogin.fido2.success"),
    "unknown key": t("webauthn.error.unknownKey"),
    counter: t("webauthn.error.counter"),
  };
  return (
    <>
      <NeedsScript>
        <TotpInstead state={state} />
      </NeedsScript>
      <KeyForm
        action="/mfa/verify"
        kind="key"
        hidden={<PendingInputs {...state} />}
        timeoutSeconds={ASSERTION_TIMEOUT_SECONDS}
        start={t("mfaLogin.fido2.start")}
        cancel={<CancelButton />}
      />
      <FactorTexts restartHref={methodHref(state)} texts={texts} />
    </>
  );
}

/** The address of this installation is none that keys can be registered for. */
function NoKeysHere({ page: { state } }: { page: SecondFactorPageProps }): ReactNode {
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

function TotpInstead({ state }: Pick<SecondFactorPageProps, "state">): ReactNode {
  const { t } = useTranslation();
  if (!state.totpRegistered) return null;
  return <ButtonLink href={methodHref(state, "totp")}>{t("mfaLogin.choose.totp")}</ButtonLink>;
}
