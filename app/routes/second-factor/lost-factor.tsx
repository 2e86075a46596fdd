import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SupportContact } from "#app/ui/support-contact.tsx";

type LostFactorProps = {
  /** Where a recovery code can be entered; null where there is none left, or it is being asked for. */
  recoveryHref: string | null;
  /** Where a link that resets the factors can be asked for. */
  lostHref: string;
  supportContact: string | null;
};

/** For people whose factor is out of reach: a recovery code, a link by mail, and whom to ask. */
export function LostFactor({ recoveryHref, lostHref, supportContact }: LostFactorProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="aside pair" aria-labelledby="lost">
      <h2 id="lost">{t("mfaLogin.lost")}</h2>
      {recoveryHref ? (
        <a className="line-link" href={recoveryHref}>
          {t("recovery.use")}
        </a>
      ) : null}
      <a className="line-link" href={lostHref}>
        {t("mfaReset.lost.link")}
      </a>
      <p className="note">
        {t("mfaLogin.lostHint")} {supportContact ? <SupportContact text={supportContact} /> : null}
      </p>
    </section>
  );
}
