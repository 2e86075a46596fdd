import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import type { SecondFactorPageProps } from "./page.tsx";
import { SecondFactorSetUp } from "./setup-choice.tsx";
import { SecondFactorChoice } from "./verify-choice.tsx";
import { SecondFactorCode } from "./verify-code.tsx";
import { SecondFactorContinue } from "./verify-continue.tsx";
import { SecondFactorExpired } from "./verify-expired.tsx";
import { SecondFactorKey } from "./verify-key.tsx";

/**
 * What the page asks for: `choose` between the factors, a code of the app, a security key, a recovery code, to set up a
 * factor, or no more than a click to go on.
 */
export type SecondFactorMethod = "choose" | "totp" | "fido2" | "recovery" | "set-up" | "continue";

export type SecondFactorScreenProps = SecondFactorPageProps & { method: SecondFactorMethod };

/** The page at /mfa/verify in each of its states. */
export function SecondFactorScreen({ method, ...props }: SecondFactorScreenProps): ReactNode {
  if (isOver(props.state)) return <SecondFactorExpired {...props} />;
  switch (method) {
    case "choose":
      return <SecondFactorChoice {...props} />;
    case "totp":
    case "recovery":
      return <SecondFactorCode {...props} method={method} />;
    case "fido2":
      return <SecondFactorKey {...props} />;
    case "set-up":
      return <SecondFactorSetUp {...props} />;
    case "continue":
      return <SecondFactorContinue {...props} />;
  }
}

function isOver({ error }: SecondFactorState): boolean {
  return error === "unauthorized" || error === "challenge";
}

export function secondFactorTitle(t: TFunction, state: SecondFactorState, method: SecondFactorMethod): string {
  const isSetUp = method === "set-up" && !isOver(state);
  return pageTitle(t, t(isSetUp ? "mfaLogin.setup.heading" : "mfaLogin.title"), state.error !== undefined);
}
