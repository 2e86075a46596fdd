import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

type ResetStatusScreenProps = {
  /** `success`, `error-token` or `too-early`; any other status is a technical error. */
  state: StatusState;
  /** Read for `success`: the next sign-in demands a second factor, and so the set-up of a new one. */
  needsSetUp: boolean;
  /** Read for `too-early`: from when until when the link works; null where the link is not known. */
  window: { from: string | null; until: string } | null;
  appUrl: string;
};

/** The page at /mfa-reset/reset-status: how the removal of the factors went. */
export function FactorResetStatusScreen({ state, needsSetUp, window, appUrl }: ResetStatusScreenProps): ReactNode {
  const { t } = useTranslation();
  const way = <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>;
  switch (state.status) {
    case "success":
      return (
        <Page title={t("mfaReset.status.success.heading")}>
          <Alert kind="ok" word={t("mfaReset.status.success.quote")}>
            <p>{needsSetUp ? t("mfaReset.status.success.setUp") : t("mfaReset.status.success.setUpLater")}</p>
          </Alert>
          {way}
        </Page>
      );
    case "error-token":
      return (
        <Page title={t("mfaReset.status.errorToken.heading")} tone="error">
          <Alert kind="error" code="error-token" word={t("mfaReset.status.errorToken.quote")}>
            <p>{t("mfaReset.status.errorToken.description")}</p>
          </Alert>
          {way}
        </Page>
      );
    case "too-early":
      return (
        <Page title={t("mfaReset.status.tooEarly.heading")} tone="attention">
          <Alert kind="attention" code="too-early" word={t("mfaReset.status.tooEarly.quote")}>
            <p>{t("mfaReset.status.tooEarly.description")}</p>
            <p>{window ? t("mfaReset.window", window) : t("mfaReset.status.tooEarly.seeMail")}</p>
          </Alert>
          {way}
        </Page>
      );
    default:
      return (
        <Page title={t("mfaReset.status.technical.heading")} tone="error">
          <Alert kind="error" code="error" word={t("common.errorSummaryTitle")}>
            <p>{t("mfaReset.status.technical.description")}</p>
          </Alert>
          {way}
        </Page>
      );
  }
}

export function factorResetStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.status.success.title"));
    case "error-token":
      return pageTitle(t, t("mfaReset.status.errorToken.title"), true);
    case "too-early":
      return pageTitle(t, t("mfaReset.status.tooEarly.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}
