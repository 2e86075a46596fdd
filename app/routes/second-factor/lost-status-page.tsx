import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { SupportContact } from "#app/ui/support-contact.tsx";
import { pageTitle } from "#app/ui/title.ts";

type LostStatusScreenProps = {
  /** `success`, `refused` or `too-many`; any other status is a technical error. */
  state: StatusState;
  /** The sign-in that the person came from; "" where it is not known. */
  loginChallenge: string;
  appUrl: string;
  /** From when until when the link works; null where the sign-in that asked for it is not known any more. */
  window: { from: string | null; until: string } | null;
  supportContact: string | null;
};

/** The page at /mfa/lost with a status: whether a link is on its way, and what to do without one. */
export function FactorLostStatusScreen(page: LostStatusScreenProps): ReactNode {
  const { t } = useTranslation();
  const { state, window } = page;
  switch (state.status) {
    case "success":
      return (
        <Page
          title={t("mfaReset.lost.success.heading")}
          lead={window ? t("mfaReset.lost.success.description", window) : t("mfaReset.lost.success.seeMail")}
        >
          <WaysOn {...page} />
        </Page>
      );
    case "refused":
      return (
        <Page title={t("mfaReset.lost.refused.heading")} tone="error">
          <Alert kind="error" code="refused" word={t("mfaReset.lost.refused.quote")}>
            <p>{t("mfaReset.lost.refused.description")}</p>
          </Alert>
          <WaysOn {...page} />
        </Page>
      );
    case "too-many":
      return (
        <Page title={t("mfaReset.lost.tooMany.heading")} tone="error">
          <Alert kind="error" code="too-many" word={t("mfaReset.lost.tooMany.quote")}>
            <p>{t("mfaReset.lost.tooMany.description")}</p>
          </Alert>
          <WaysOn {...page} />
        </Page>
      );
    default:
      return (
        <Page title={t("mfaReset.status.technical.heading")} tone="error">
          <Alert kind="error" code="error" word={t("common.errorSummaryTitle")}>
            <p>{t("mfaReset.lost.technical.description")}</p>
          </Alert>
          <WaysOn {...page} />
        </Page>
      );
  }
}

/** A recovery code, whom to ask, and back to where the person came from. */
function WaysOn({ state, loginChallenge, appUrl, supportContact }: LostStatusScreenProps): ReactNode {
  const { t } = useTranslation();
  const verify = (method: object = {}) =>
    `/mfa/verify?${new URLSearchParams({ login_challenge: loginChallenge, ...method })}`;
  return (
    <>
      {supportContact && state.status !== "success" ? (
        <p className="note">
          <SupportContact text={supportContact} />
        </p>
      ) : null}
      {loginChallenge === "" ? (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      ) : (
        <div className="actions">
          {state.status === "success" ? null : (
            <ButtonLink href={verify({ method: "recovery" })}>{t("recovery.use")}</ButtonLink>
          )}
          <ButtonLink href={verify()} quiet>
            {t("mfaReset.lost.back")}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

export function factorLostStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.lost.success.title"));
    case "refused":
      return pageTitle(t, t("mfaReset.lost.refused.title"), true);
    case "too-many":
      return pageTitle(t, t("mfaReset.lost.tooMany.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}
