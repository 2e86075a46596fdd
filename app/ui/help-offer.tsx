import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** Names the help of the office, for a user without password or second factor. */
export function HelpOffer(): ReactNode {
  const { t } = useTranslation();
  return (
    <p className="note">
      {t("help.offer")} <a href="/help">{t("help.offerLink")}</a>
    </p>
  );
}
