import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { CancelForm } from "./cancel-sign-in.tsx";
import { SecondFactorPage, type SecondFactorPageProps } from "./page.tsx";
import { PickButton } from "./pick.tsx";

/** No factor is registered, and one is needed: offers to set one up here. The app comes first: it needs no script. */
export function SecondFactorSetUp(page: SecondFactorPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <SecondFactorPage page={page} title={t("mfaLogin.setup.heading")}>
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
    </SecondFactorPage>
  );
}
