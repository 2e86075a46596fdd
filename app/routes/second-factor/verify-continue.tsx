import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { CancelButton } from "./cancel-sign-in.tsx";
import { SecondFactorPage, type SecondFactorPageProps } from "./page.tsx";

/** The factor was given, and the page came back before it could be sent: one click is left. */
export function SecondFactorContinue(page: SecondFactorPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SecondFactorPage page={page} title={t("mfaLogin.heading")}>
      <p>{t("mfaLogin.confirmed")}</p>
      <form className="actions" method="post" action="/mfa/verify">
        <PendingInputs {...page.state} />
        <Submit>{t("mfaLogin.continueManually")}</Submit>
        <CancelButton />
      </form>
    </SecondFactorPage>
  );
}
