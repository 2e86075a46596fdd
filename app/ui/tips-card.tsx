import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** Four tips for a good password. With the client script, users can hide them permanently and show them again. */
export function TipsCard(): ReactNode {
  const { t } = useTranslation();
  return (
    <tips-card show-text={t("passwordTips.show")} hide-text={t("passwordTips.dismiss")}>
      <section className="tips" aria-labelledby="tips-title">
        <div className="pair" id="tips">
          <h2 id="tips-title">{t("passwordTips.heading")}</h2>
          <ol className="pair">
            <li>{t("passwordTips.1")}</li>
            <li>{t("passwordTips.2")}</li>
            <li>{t("passwordTips.3")}</li>
            <li>{t("passwordTips.4")}</li>
          </ol>
        </div>
      </section>
    </tips-card>
  );
}
