import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { LastFactorNotice } from "#app/routes/settings/second-factors.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { RefusableState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type TotpRemovalScreenProps = {
  state: RefusableState;
  /** Whether no other second factor is left then. */
  isLast: boolean;
};

/** The page at /manage/mfa/totp/remove: asks whether the authenticator app shall go. */
export function TotpRemovalScreen({ state, isLast }: TotpRemovalScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <SettingsPage
      title={t("manageTotp.remove.heading")}
      lead={t("manageTotp.remove.description")}
      back={{ to: "/manage/mfa", text: t("manageMfa.back") }}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "attention"}
    >
      {isLast ? <LastFactorNotice /> : null}
      <form className="flow" method="post" action="/manage/mfa/totp/remove">
        <XsrfInput token={state.xsrf_token} />
        <p className="note">{t("manageFactor.others")}</p>
        <div className="actions">
          <Submit danger>{t("manageTotp.remove.submit")}</Submit>
          <ButtonLink href="/manage/mfa" quiet>
            {t("manageTotp.remove.keep")}
          </ButtonLink>
        </div>
      </form>
    </SettingsPage>
  );
}

export function totpRemovalTitle(t: TFunction, { error }: RefusableState): string {
  return pageTitle(t, t("manageTotp.remove.title"), error !== undefined);
}
