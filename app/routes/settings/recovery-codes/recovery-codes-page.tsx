import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { NewRecoveryCodes } from "#app/ui/new-recovery-codes.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { OwnCodesState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type OwnCodesScreenProps = {
  state: OwnCodesState;
  /** Whether the person has a second factor that codes can stand in for. */
  isProtected: boolean;
  /** The codes that new ones replace. */
  codesLeft: number;
  /** The new codes, and what paper and file say above them; null while they are only offered. */
  made: { codes: readonly string[]; title: string } | null;
};

const BACK = "/manage/mfa";

/** The page at /manage/mfa/recovery-codes: first the offer, then, once, the codes. */
export function OwnCodesScreen({ made, ...props }: OwnCodesScreenProps): ReactNode {
  const { t } = useTranslation();
  if (!made) return <Offer {...props} />;
  return (
    <SettingsPage title={t("recovery.heading")} lead={t("recovery.description")} tone="attention">
      <div className="flow">
        <NewRecoveryCodes {...made} />
        <div className="actions">
          <ButtonLink href={BACK}>{t("recovery.saved")}</ButtonLink>
        </div>
      </div>
    </SettingsPage>
  );
}

function Offer({ state, isProtected, codesLeft }: Omit<OwnCodesScreenProps, "made">): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const text = t(error === "overloaded" ? "serverError.overload.description" : "common.formExpired");
  return (
    <SettingsPage
      title={t("recovery.heading")}
      lead={t(isProtected ? "recovery.offer" : "manageCodes.noFactor")}
      back={{ to: BACK, text: t("manageMfa.back") }}
      before={error ? <ErrorSummary code={error} problems={[{ text }]} /> : null}
      tone={error ? "error" : "normal"}
    >
      {codesLeft > 0 ? (
        <Notice kind="attention">
          <p>{t("manageCodes.replaces", { count: codesLeft })}</p>
        </Notice>
      ) : null}
      {isProtected ? (
        <form className="actions" method="post" action="/manage/mfa/recovery-codes">
          <XsrfInput token={state.xsrf_token} />
          <Submit>{t("recovery.create")}</Submit>
          <ButtonLink href={BACK} quiet>
            {t("managePassword.abort")}
          </ButtonLink>
        </form>
      ) : (
        <div className="actions">
          <ButtonLink href="/manage/mfa/register-totp">{t("manageMfa.totp.add")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

export function ownCodesTitle(t: TFunction, { error }: OwnCodesState): string {
  return pageTitle(t, t("recovery.heading"), error !== undefined);
}
