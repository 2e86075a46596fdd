import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LineLink } from "#app/ui/line-link.tsx";
import { Notice } from "#app/ui/notice.tsx";

/** Offers recovery codes to a user who has a second factor and no other way to sign in without it. */
export function RecoveryCodesOffer(): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="info" data-code="recovery-codes">
      <p>{t("manageMfa.codes.offer")}</p>
      <LineLink to="/manage/mfa/recovery-codes">{t("recovery.create")}</LineLink>
    </Notice>
  );
}
