import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { type RefusalDetails, secondFactorProblems } from "#app/ui/factor-errors.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { SetUpStep, TotpSecret, type TotpSecretProps } from "#app/ui/totp-secret.tsx";
import { methodHref } from "./page.tsx";

export type TotpSetUpScreenProps = Omit<RefusalDetails, "code"> &
  TotpSecretProps & { state: SecondFactorState; client: ClientLabel | null };

/** Sets up an authenticator app while signing in: the secret in three forms, and a code to prove that it arrived. */
export function TotpSetUpScreen(props: TotpSetUpScreenProps): ReactNode {
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

export function totpSetUpTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageTotp.title"), state.error !== undefined);
}
