import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { type RefusalDetails, secondFactorProblems } from "#app/ui/factor-errors.ts";
import { FactorTexts } from "#app/ui/factor-texts.tsx";
import { KeyForm } from "#app/ui/key-form.tsx";
import { KeyNameField } from "#app/ui/key-name-field.tsx";
import { keyTexts } from "#app/ui/key-texts.ts";
import { NeedsScript, WithoutScript } from "#app/ui/needs-script.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { REGISTRATION_TIMEOUT_SECONDS } from "#app/ui/security-key.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { methodHref } from "./page.tsx";

export type KeySetUpScreenProps = Pick<RefusalDetails, "waitMinutes"> & {
  state: SecondFactorState;
  client: ClientLabel | null;
};

/** Sets up a security key while signing in. All of it is the script's work. */
export function KeySetUpScreen(props: KeySetUpScreenProps): ReactNode {
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
      <NeedsScript />
      <NewKey {...props} />
      <p className="note">{t("manageMfa.fido2.secondKeyHint")}</p>
    </Page>
  );
}

function NewKey({ state }: KeySetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  const texts = {
    ...keyTexts(t),
    success: t("mfaLogin.fido2.success"),
    InvalidStateError: t("webauthn.error.invalidState"),
    "factor already registered": t("mfaLogin.setup.done"),
  };
  return (
    <>
      <KeyForm
        action="/mfa/setup"
        kind="new-key"
        hidden={<PendingInputs {...state} />}
        productName={t("common.productName")}
        timeoutSeconds={REGISTRATION_TIMEOUT_SECONDS}
        explain={t("manageFido2.explain")}
        start={t("manageFido2.start")}
        fields={<KeyNameField />}
        cancel={
          <>
            <AppInstead />
            <ButtonLink href={methodHref(state)} quiet>
              {t("manageTotp.abort")}
            </ButtonLink>
          </>
        }
      />
      <FactorTexts restartHref={methodHref(state)} texts={texts} />
    </>
  );
}

/** For a browser that reaches no key: the same form begins the other factor. */
function AppInstead(): ReactNode {
  const { t } = useTranslation();
  return (
    <WithoutScript>
      <Submit name="method" value="totp">
        {t("mfaLogin.setup.totp")}
      </Submit>
    </WithoutScript>
  );
}

export function keySetUpTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageFido2.title"), state.error !== undefined);
}
