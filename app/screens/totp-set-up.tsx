import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/components/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/components/code-field.tsx";
import { CopyButton } from "#app/components/copy-button.tsx";
import { ErrorSummary } from "#app/components/error-summary.tsx";
import type { ClientLabel } from "#app/components/page.tsx";
import { Page } from "#app/components/page.tsx";
import { PendingInputs } from "#app/components/pending-inputs.tsx";
import { QrCode } from "#app/components/qr-code.tsx";
import { SecretKey } from "#app/components/secret-key.tsx";
import { Submit } from "#app/components/submit.tsx";
import type { SecondFactorState } from "./page-state.ts";
import { methodHref } from "./second-factor-page.tsx";
import { type RefusalFacts, secondFactorProblems } from "./second-factor-problems.ts";
import { pageTitle } from "./title.ts";

export type TotpSetUpScreenProps = Omit<RefusalFacts, "code"> & {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** A PNG in base64, without the prefix of a data URL. */
  qrCode: string;
  secretBase32: string;
  otpauthUri: string;
};

/** Sets up an authenticator app while signing in: the secret in three forms, and a code to prove that it arrived. */
export function TotpSetUpScreen(props: TotpSetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  const { state, client } = props;
  const problems = secondFactorProblems(t, state, { ...props, code: "totp" });
  const fieldError = problems.find(({ field }) => field === CODE_FIELD)?.text;
  return (
    <Page
      title={t("manageTotp.heading")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} takesFocus={!fieldError} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
      wide
    >
      <Secret {...props} />
      <form className="flow" method="post" action="/mfa/setup" noValidate>
        <PendingInputs {...state} />
        <Step number={2} title={t("manageTotp.code.heading")} />
        <CodeField error={fieldError} />
        <div className="actions">
          <Submit busy={t("mfaLogin.totp.checking")}>{t("manageTotp.confirm")}</Submit>
          <ButtonLink href={methodHref(state)} quiet>
            {t("manageTotp.abort")}
          </ButtonLink>
        </div>
      </form>
    </Page>
  );
}

const SECRET_ID = "secret-key";

function Secret({ qrCode, secretBase32, otpauthUri }: TotpSetUpScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="flow" aria-labelledby="step-1">
      <Step number={1} title={t("manageTotp.scan.heading")} />
      <div className="secret-forms">
        <QrCode pngBase64={qrCode} alt={t("manageTotp.scan.alt")} />
        <div className="flow flow-close">
          <h3>{t("manageTotp.secret.heading")}</h3>
          <SecretKey id={SECRET_ID} secretBase32={secretBase32} />
          <div className="actions">
            <CopyButton id="copy-secret" text={secretBase32} shownIn={SECRET_ID} done={t("manageTotp.secret.copied")}>
              {t("manageTotp.secret.copy")}
            </CopyButton>
            <a className="line-link" href={otpauthUri}>
              {t("manageTotp.secret.openApp")}
            </a>
          </div>
        </div>
      </div>
      <p className="caution">{t("manageTotp.secret.warning")}</p>
    </section>
  );
}

function Step({ number, title }: { number: number; title: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div>
      <p className="step">{t("manageTotp.step", { step: number, total: 2 })}</p>
      <h2 id={`step-${number}`}>{title}</h2>
    </div>
  );
}

export function totpSetUpTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageTotp.title"), state.error !== undefined);
}
