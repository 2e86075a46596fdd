import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { SupportContact } from "#app/ui/support-contact.tsx";
import { pageTitle } from "#app/ui/title.ts";

type StopStatusScreenProps = {
  /** `success` or `error-token`; any other status is a technical error. */
  state: StatusState;
  appUrl: string;
  supportContact: string | null;
};

/** The page at /mfa-reset/stop with a status: whether the reset was stopped. */
export function FactorResetStopStatusScreen({ state, appUrl, supportContact }: StopStatusScreenProps): ReactNode {
  const { t } = useTranslation();
  if (state.status === "success") {
    return (
      <Page title={t("mfaReset.stop.success.heading")} lead={t("mfaReset.stop.success.description")}>
        <ButtonLink href="/password-reset/request-form">{t("mfaReset.stop.success.action")}</ButtonLink>
      </Page>
    );
  }
  const isDead = state.status === "error-token";
  return (
    <Page title={isDead ? t("mfaReset.stop.errorToken.heading") : t("mfaReset.status.technical.heading")} tone="error">
      <Alert
        kind="error"
        code={isDead ? "error-token" : "error"}
        word={isDead ? t("mfaReset.stop.errorToken.quote") : t("common.errorSummaryTitle")}
      >
        <p>{isDead ? t("mfaReset.stop.errorToken.description") : t("mfaReset.stop.technical.description")}</p>
      </Alert>
      {supportContact ? (
        <p className="note">
          <SupportContact text={supportContact} />
        </p>
      ) : null}
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
    </Page>
  );
}

export function factorResetStopStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.stop.success.heading"));
    case "error-token":
      return pageTitle(t, t("mfaReset.stop.errorToken.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}
