import type { ReactNode } from "react";
import { XsrfInput } from "./xsrf-input.tsx";

/** Hidden fields of every form in the second-factor step: login challenge, mfa_token, anti-forgery token. */
type PendingFields = { loginChallenge: string; token: string; xsrfToken: string };

export function PendingInputs({ loginChallenge, token, xsrfToken }: PendingFields): ReactNode {
  return (
    <>
      <XsrfInput token={xsrfToken} />
      <input type="hidden" name="login_challenge" value={loginChallenge} />
      <input type="hidden" name="mfa_token" value={token} />
    </>
  );
}
