import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CancelForm } from "./cancel-sign-in.tsx";
import { methodHref, SecondFactorPage, type SecondFactorPageProps } from "./page.tsx";
import { PickLink } from "./pick.tsx";

/** Both factors are registered: the person picks one. */
export function SecondFactorChoice(page: SecondFactorPageProps): ReactNode {
  const { t } = useTranslation();
  const { state, keysWork } = page;
  return (
    <SecondFactorPage page={page} title={t("mfaLogin.heading")} help="recovery">
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
    </SecondFactorPage>
  );
}
