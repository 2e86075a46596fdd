import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import { NewRecoveryCodes } from "#app/ui/new-recovery-codes.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";

export type RecoveryCodesScreenProps = {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** As they are to be read and typed; null while they are only offered. */
  codes: readonly string[] | null;
  username: string;
  productName: string;
  createdAt: Date;
  /** Name of the time zone that the date is told in. */
  timeZone: string;
};

/** Recovery codes after a factor was set up: first the offer, then, once, the codes. */
export function RecoveryCodesScreen({ codes, ...props }: RecoveryCodesScreenProps): ReactNode {
  return codes === null ? <Offer {...props} /> : <Codes {...props} codes={codes} />;
}

function Offer({ state, client }: Pick<RecoveryCodesScreenProps, "state" | "client">): ReactNode {
  const { t } = useTranslation();
  const problems = secondFactorProblems(t, state, {});
  return (
    <Page
      title={t("recovery.heading")}
      lead={t("recovery.offer")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      <div className="actions">
        <form method="post" action="/mfa/recovery-codes">
          <PendingInputs {...state} />
          <Submit>{t("recovery.create")}</Submit>
        </form>
        <form method="post" action="/mfa/verify">
          <PendingInputs {...state} />
          <Submit quiet>{t("recovery.later")}</Submit>
        </form>
      </div>
    </Page>
  );
}

function Codes(props: RecoveryCodesScreenProps & { codes: readonly string[] }): ReactNode {
  const { t } = useTranslation();
  const { state, client, codes } = props;
  const title = useCodesTitle(props);
  return (
    <Page title={t("recovery.heading")} lead={t("recovery.description")} tone="attention" client={client} wide>
      <NewRecoveryCodes codes={codes} title={title} />
      <form className="actions" method="post" action="/mfa/verify">
        <PendingInputs {...state} />
        <Submit>{t("recovery.saved")}</Submit>
      </form>
    </Page>
  );
}

/** Whose codes they are, where, and since when: for paper and file, which outlive the page. */
function useCodesTitle({ username, productName, createdAt, timeZone }: Omit<RecoveryCodesScreenProps, "codes">) {
  const { t, i18n } = useTranslation();
  const locale = i18n.resolvedLanguage === "de" ? "de-DE" : "en-GB";
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone }).format(createdAt);
  return t("recovery.printTitle", { username, product: productName, date });
}

export function recoveryCodesTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("recovery.heading"), state.error !== undefined);
}
