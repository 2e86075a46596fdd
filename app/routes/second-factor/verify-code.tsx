import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CODE_FIELD, CodeField } from "#app/ui/code-field.tsx";
import { CODE_TEXTS, type CodeKind, secondFactorProblems } from "#app/ui/factor-errors.ts";
import { FactorTexts } from "#app/ui/factor-texts.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { CancelButton } from "./cancel-sign-in.tsx";
import { CodeForm } from "./code-form.tsx";
import { methodHref, SecondFactorPage, type SecondFactorPageProps } from "./page.tsx";

/** Asks for a code of the authenticator app, or for a recovery code in its place. */
export function SecondFactorCode({ method, ...page }: SecondFactorPageProps & { method: CodeKind }): ReactNode {
  const { t } = useTranslation();
  const { state, recoveryCodesLeft } = page;
  const [problem] = secondFactorProblems(t, state, { ...page, code: method });
  const isRecovery = method === "recovery";
  const hasOther = isRecovery || state.fido2Registered;
  return (
    <SecondFactorPage
      page={page}
      title={t("mfaLogin.heading")}
      code={method}
      help={isRecovery ? "contact" : "recovery"}
    >
      <section className="flow" aria-labelledby="method">
        <div className="pair">
          <h2 id="method">{isRecovery ? t("recovery.use") : t("mfaLogin.totp.heading")}</h2>
          <p className="lead">{isRecovery ? t("recovery.enter") : t("mfaLogin.totp.description")}</p>
          {isRecovery ? <p className="note">{t("recovery.remaining", { count: recoveryCodesLeft })}</p> : null}
        </div>
        <CodeForm pending={state}>
          <input type="hidden" name="method" value={method} />
          <CodeField kind={method} error={problem?.field === CODE_FIELD ? problem.text : undefined} />
          <div className="actions">
            <Submit busy={t("mfaLogin.totp.checking")}>{t("mfaLogin.totp.submit")}</Submit>
            <CancelButton />
          </div>
        </CodeForm>
        {hasOther ? (
          <a className="line-link" href={methodHref(state)}>
            {t("mfaLogin.choose.other")}
          </a>
        ) : null}
      </section>
      <FactorTexts restartHref={methodHref(state)} texts={codeTexts(t, method)} />
    </SecondFactorPage>
  );
}

function codeTexts(t: TFunction, kind: CodeKind): Record<string, string> {
  const texts = CODE_TEXTS[kind];
  return {
    checking: t("mfaLogin.totp.checking"),
    success: t("mfaLogin.totp.success"),
    missing: t(texts.missing),
    malformed: t(texts.malformed),
    wrong: t(texts.wrong),
    used: t(texts.used),
  };
}
