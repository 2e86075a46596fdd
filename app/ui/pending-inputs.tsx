import type { ReactNode } from "react";
import { XsrfInput } from "./xsrf-input.tsx";

/** What every form of the second-factor step carries: the sign-in it belongs to, the step's token, the anti-forgery token. */
export type PendingFields = { loginChallenge: string; token: string; xsrfToken: string };

export function PendingInputs({ loginChallenge, token, xsrfToken }: PendingFields): ReactNode {
  return (
    <>
      <XsrfInput token={xsrfToken} />
      <input type="hidden" name="login_challenge" value={loginChallenge} />
      <input type="hidden" name="mfa_token" value={token} />
    </>
  );
}
