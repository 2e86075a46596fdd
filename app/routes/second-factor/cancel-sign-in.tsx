import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";

/** Ends the sign-in. The button of a form that has another purpose too. */
export function CancelButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <Submit name="cancel" value="1" quiet>
      {t("mfaLogin.abort")}
    </Submit>
  );
}

/** Ends the sign-in, where the page has no other form that posts to /mfa/verify. */
export function CancelForm({ state }: { state: SecondFactorState }): ReactNode {
  return (
    <form method="post" action="/mfa/verify">
      <PendingInputs {...state} />
      <CancelButton />
    </form>
  );
}
