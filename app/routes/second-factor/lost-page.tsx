import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { methodHref } from "./page.tsx";

export type FactorLostScreenProps = {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** Display name of the person who signs in. */
  name: string;
  /** How long a link waits. */
  delayHours: number;
  /** From when until when a link works that is asked for now. */
  window: { from: string; until: string };
  recoveryCodesLeft: number;
};

/** The page at /mfa/lost: offers a link by mail to somebody who gave the password and lost the factor. */
export function FactorLostScreen({ state, client, name, delayHours, ...page }: FactorLostScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.lost.heading")}
      lead={<Emphasis text={t("mfaLogin.signingInAs", { name })} part={name} />}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "normal"}
      client={client}
    >
      {page.recoveryCodesLeft > 0 ? (
        <p>
          {t("mfaReset.lost.recovery")} <a href={methodHref(state, "recovery")}>{t("recovery.use")}</a>
        </p>
      ) : null}
      <p>{t("mfaReset.lost.description", { count: delayHours, ...page.window })}</p>
      <form className="actions" method="post" action="/mfa/lost">
        <PendingInputs {...state} />
        <Submit>{t("mfaReset.lost.submit")}</Submit>
      </form>
      <a className="line-link" href={methodHref(state)}>
        {t("mfaReset.lost.back")}
      </a>
    </Page>
  );
}

export function factorLostTitle(t: TFunction, { error }: SecondFactorState): string {
  return pageTitle(t, t("mfaReset.lost.title"), error !== undefined);
}
