import type { ReactNode } from "react";
import { CODE_STATUS, FACTOR_FORM } from "#app/client/attributes.ts";
import { type PendingFields, PendingInputs } from "#app/ui/pending-inputs.tsx";

/** The form of a typed code: the script checks the code first and then sends the form; without it the form does both. */
export function CodeForm({ pending, children }: { pending: PendingFields; children: ReactNode }): ReactNode {
  return (
    <form className="flow" method="post" action="/mfa/verify" noValidate {...{ [FACTOR_FORM]: "code" }}>
      <PendingInputs {...pending} />
      {children}
      <p className="visually-hidden" aria-live="polite" {...{ [CODE_STATUS]: "" }} />
    </form>
  );
}
