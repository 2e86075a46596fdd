import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import type { ConsentState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** Allow and Reject. Rejecting is a link where the address of the answer is known, otherwise a form of its own. */
export function ConsentAnswers({ state, canAllow }: { state: ConsentState; canAllow: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={canAllow ? "actions actions-even" : "actions"}>
      {canAllow ? (
        <AnswerForm state={state} action="/consent/accept">
          <Submit>{t("consent.allow")}</Submit>
        </AnswerForm>
      ) : null}
      {state.redirect_uri ? (
        <ButtonLink href={state.redirect_uri} quiet>
          {t("consent.reject")}
        </ButtonLink>
      ) : (
        <AnswerForm state={state} action="/consent/reject">
          <Submit quiet>{t("consent.reject")}</Submit>
        </AnswerForm>
      )}
    </div>
  );
}

type AnswerFormProps = { state: ConsentState; action: "/consent/accept" | "/consent/reject"; children: ReactNode };

function AnswerForm({ state, action, children }: AnswerFormProps): ReactNode {
  return (
    <form method="post" action={action}>
      <XsrfInput token={state.xsrf_token} />
      <input type="hidden" name="consent_challenge" value={state.consent_challenge} />
      {state.scopes.map(({ id }) => (
        <input key={id} type="hidden" name="scopes" value={id} />
      ))}
      {children}
    </form>
  );
}
