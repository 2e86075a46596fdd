import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Page } from "#app/ui/page.tsx";
import type { FactorResetState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type FactorResetFormScreenProps = {
  state: FactorResetState;
  /** Whose factors they are. */
  username: string;
  /** The next sign-in demands a second factor, and so the set-up of a new one. */
  needsSetUp: boolean;
  /** When the link works; `from` is null for a link that never had to wait. */
  window: { from: string | null; until: string };
  /** The way out for who keeps them. */
  appUrl: string;
};

/** The page at /mfa-reset/reset-form: asks the person of a link whether all factors shall go. */
export function FactorResetFormScreen({ state, username, appUrl, ...page }: FactorResetFormScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.form.heading")}
      lead={t("mfaReset.form.description")}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <p>{page.needsSetUp ? t("mfaReset.form.setUp") : t("mfaReset.form.setUpLater")}</p>
      <p>
        {page.window.from === null ? t("mfaReset.form.validUntil", page.window) : t("mfaReset.window", page.window)}
      </p>
      <Notice kind="attention">
        <p>{t("mfaReset.form.warning")}</p>
      </Notice>
      <form className="actions" method="post" action="/mfa-reset/reset">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="reset_token" value={state.reset_token} />
        <Submit danger>{t("mfaReset.form.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("mfaReset.form.keep")}
        </ButtonLink>
      </form>
    </Page>
  );
}

export function factorResetFormTitle(t: TFunction, { error }: FactorResetState): string {
  return pageTitle(t, t("mfaReset.form.title"), error !== undefined);
}
