import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import type { FactorResetStopState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type FactorResetStopScreenProps = {
  state: FactorResetStopState;
  /** Whose factors they are. */
  username: string;
  /** When the link that would be stopped works. */
  window: { from: string | null; until: string };
  /** The way out for who asked for the reset. */
  appUrl: string;
};

/** The page at /mfa-reset/stop: asks the person of a mail whether the reset that waits shall be stopped. */
export function FactorResetStopScreen({ state, username, window, appUrl }: FactorResetStopScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.stop.heading")}
      lead={t("mfaReset.stop.description")}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <p>{t("mfaReset.stop.window", window)}</p>
      <form className="actions" method="post" action="/mfa-reset/stop">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="stop_token" value={state.stop_token} />
        <Submit>{t("mfaReset.stop.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("common.toApp")}
        </ButtonLink>
      </form>
    </Page>
  );
}

export function factorResetStopTitle(t: TFunction, { error }: FactorResetStopState): string {
  return pageTitle(t, t("mfaReset.stop.title"), error !== undefined);
}
