import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

type LostFactorProps = {
  /** Where a recovery code can be entered; null where there is none left, or it is being asked for. */
  recoveryHref: string | null;
  supportContact: string | null;
};

/** For people whose factor is out of reach: a recovery code, and whom to ask. */
export function LostFactor({ recoveryHref, supportContact }: LostFactorProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="aside pair" aria-labelledby="lost">
      <h2 id="lost">{t("mfaLogin.lost")}</h2>
      {recoveryHref ? (
        <a className="line-link" href={recoveryHref}>
          {t("recovery.use")}
        </a>
      ) : null}
      <p className="note">
        {t("mfaLogin.lostHint")} {supportContact ? <Contact text={supportContact} /> : null}
      </p>
    </section>
  );
}

const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

function Contact({ text }: { text: string }): ReactNode {
  if (MAIL.test(text)) return <a href={`mailto:${text}`}>{text}</a>;
  return WEB.test(text) ? <a href={text}>{text}</a> : text;
}
