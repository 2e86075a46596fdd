import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LineLink } from "#app/ui/line-link.tsx";
import { Notice } from "#app/ui/notice.tsx";

/** Notice for a user who has a second factor and no recovery code left. */
export function RecoveryCodesOffer(): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="info" data-code="recovery-codes">
      <p>{t("manageMfa.codes.offer")}</p>
      <LineLink to="/manage/mfa/recovery-codes">{t("recovery.create")}</LineLink>
    </Notice>
  );
}

/** Notice above a form that removes the user's only second factor. */
export function LastFactorNotice(): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="attention">
      <p>{t("manageFactor.last")}</p>
    </Notice>
  );
}

/** A security key with formatted times; `lastUsed`: null when it was never used; `flagged`: its counter went backwards. */
export type SecurityKeyTexts = { id: string; name: string; added: string; lastUsed: string | null; flagged: boolean };

/** Shows when a security key was added and last used, and a warning when it is flagged. */
export function SecurityKeyDescription({ added, lastUsed, flagged }: Omit<SecurityKeyTexts, "id" | "name">): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {t("manageMfa.keys.added", { when: added })}
      <small className="about">
        {lastUsed === null ? t("manageMfa.keys.neverUsed") : t("manageMfa.keys.lastUsed", { when: lastUsed })}
      </small>
      {flagged ? <span className="caution">{t("webauthn.error.counter")}</span> : null}
    </>
  );
}
