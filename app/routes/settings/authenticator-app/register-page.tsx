import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { type RefusalDetails, secondFactorProblems } from "#app/ui/factor-errors.ts";
import type { OwnTotpError, OwnTotpState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { SetUpStep, stepId, TotpSecret, type TotpSecretProps } from "#app/ui/totp-secret.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type OwnTotpScreenProps = Omit<RefusalDetails, "code"> & {
  state: OwnTotpState;
  /** Null where an app is set up already. */
  secret: TotpSecretProps | null;
};

/** The page at /manage/mfa/register-totp: the secret of a new authenticator app, and a code to prove that it arrived. */
export function OwnTotpScreen({ state, secret, ...refusal }: OwnTotpScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const problems = error ? ownTotpProblems(t, error, refusal) : [];
  const fieldError = problems.find(({ field }) => field === CODE_FIELD)?.text;
  return (
    <SettingsPage
      title={t("manageTotp.heading")}
      {...(secret ? { back: { to: "/manage/mfa", text: t("manageMfa.back") } } : {})}
      before={error ? <ErrorSummary code={error} problems={problems} takesFocus={!fieldError} /> : null}
      tone={error ? "error" : "normal"}
    >
      {secret ? (
        <>
          <TotpSecret {...secret} />
          <CodeStep xsrf={state.xsrf_token} error={fieldError} />
        </>
      ) : (
        <div className="actions">
          <ButtonLink href="/manage/mfa">{t("manageMfa.back")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}

function CodeStep({ xsrf, error }: { xsrf: string; error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <form className="flow" method="post" action="/manage/mfa/register-totp" noValidate>
      <XsrfInput token={xsrf} />
      <SetUpStep number={2} title={t("manageTotp.code.heading")} />
      <CodeField error={error} />
      <div className="actions">
        <Submit busy={t("mfaLogin.totp.checking")}>{t("manageTotp.confirm")}</Submit>
        <ButtonLink href="/manage" quiet>
          {t("manageTotp.abort")}
        </ButtonLink>
      </div>
      <a className="line-link" href={`#${stepId(1)}`}>
        {t("manageTotp.back")}
      </a>
    </form>
  );
}

function ownTotpProblems(t: TFunction, error: OwnTotpError, refusal: Omit<RefusalDetails, "code">): Problem[] {
  switch (error) {
    case "totp already registered":
      return [{ text: t("manageError.totp_already_registered") }];
    case "totp not found":
      return [{ text: t("manageError.totp_not_found") }];
    default:
      return secondFactorProblems(t, { error }, { ...refusal, code: "totp" });
  }
}

export function ownTotpTitle(t: TFunction, { error }: OwnTotpState): string {
  return pageTitle(t, t("manageTotp.title"), error !== undefined);
}
