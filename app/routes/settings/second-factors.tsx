import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { OwnPasskey } from "#app/domain/webauthn/own-keys.server.ts";
import { Notice } from "#app/ui/notice.tsx";
import { RowLink } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { SettingsForm } from "./form.tsx";

const CODES_PATH = "/manage/mfa/recovery-codes";

/** Recovery codes of a user. `created`: time as text, null if the user never created any. */
export type RecoveryCodesSummary = { left: number; total: number; created: string | null };

/** Returns how many codes are left, or that there are none. */
export function recoveryCodesText(t: TFunction, { left, total, created }: RecoveryCodesSummary): string {
  if (left > 0) return t("manageMfa.codes.left", { left, total });
  return t(created === null ? "manageMfa.codes.never" : "manageMfa.codes.none");
}

/** The link of a row to the page that creates the codes. */
export function RecoveryCodesLink({ created }: Pick<RecoveryCodesSummary, "created">): ReactNode {
  const { t } = useTranslation();
  return (
    <RowLink to={CODES_PATH} about={t("manageMfa.codes.label")}>
      {t(created === null ? "manage.actions.create" : "manage.actions.renew")}
    </RowLink>
  );
}

/** Notice for a user who has a second factor and no recovery code left; its button creates and shows the codes. */
export function RecoveryCodesOffer({ xsrf }: { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="info" data-code="recovery-codes">
      <p>{t("manageMfa.codes.offer")}</p>
      <SettingsForm className="actions" action={CODES_PATH} hiddenFields={{ _xsrf: xsrf }}>
        <Submit quiet>{t("recovery.create")}</Submit>
      </SettingsForm>
    </Notice>
  );
}

/**
 * The consequence of the removal of a factor. `leaves`: passkeys beside the password, or the password alone; null if the
 * sign-in stays as it is. `endsCodes`: recovery codes are removed, too.
 */
export type FactorRemoval = { leaves: "passkeys" | "password" | null; endsCodes: boolean };

/** Notice above a form that removes the last factor that is requested after the password, or the last passkey. */
export function RemovalNotice({ leaves, endsCodes }: FactorRemoval): ReactNode {
  const { t } = useTranslation();
  if (leaves === null) return null;
  const text = t(leaves === "passkeys" ? "manageFactor.passwordAlone" : "manageFactor.last");
  return (
    <Notice kind="attention" data-code={leaves === "passkeys" ? "password-alone" : undefined}>
      <p>{endsCodes ? `${text} ${t("manageFactor.codes")}` : text}</p>
    </Notice>
  );
}

/**
 * A security key or passkey with formatted times; `lastUsed`: null when it was never used; `flagged`: its counter went
 * backwards; `passkey`: null for a security key.
 */
export type SecurityKeyTexts = {
  id: string;
  name: string;
  added: string;
  lastUsed: string | null;
  flagged: boolean;
  passkey: OwnPasskey | null;
};

type DescriptionProps = Omit<SecurityKeyTexts, "id" | "name"> & {
  /** True where security keys and passkeys are listed together. */
  showsKind?: boolean;
};

/** Shows where a passkey is kept, when it or a security key was last used and added, and a warning when it is flagged. */
export function SecurityKeyDescription({ added, lastUsed, flagged, passkey, showsKind }: DescriptionProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {passkey ? <span className="also">{passkeyText(t, passkey)}</span> : null}
      {showsKind && !passkey ? <span className="also">{t("managePasskey.list.key")}</span> : null}
      <FactorDates added={t("manageMfa.keys.added", { when: added })} lastUsed={lastUsed} />
      {flagged ? (
        <span className="caution">{t(passkey ? "webauthn.passkey.counter" : "webauthn.error.counter")}</span>
      ) : null}
    </>
  );
}

function passkeyText(t: TFunction, { provider, isSynced }: OwnPasskey): string {
  if (provider === null) return t(isSynced ? "managePasskey.synced" : "managePasskey.bound");
  return t(isSynced ? "managePasskey.syncedIn" : "managePasskey.boundIn", { provider });
}

/** `added`: a sentence; `lastUsed`: time of the last use as text, null when the factor was never used. */
export function FactorDates({ added, lastUsed }: { added: string; lastUsed: string | null }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <span className="also">
        {lastUsed === null ? t("manageMfa.keys.neverUsed") : t("manageMfa.keys.lastUsed", { when: lastUsed })}
      </span>
      <span className="also">{added}</span>
    </>
  );
}
