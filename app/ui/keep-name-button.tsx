import type { ReactNode } from "react";
import { withChallenge } from "./sign-in-request.ts";

/** The form to which the button leads, as its action. */
const ACTIONS = { reset: "/password-reset/request-form", "sign-in": "/login/native" } as const;

type KeepNameButtonProps = { to: keyof typeof ACTIONS; challenge: string; children: ReactNode };

/**
 * A button that looks like a link between the sign-in form and that for a forgotten password. It posts the form around
 * it, so that the typed user name is kept without being in a URL. Browsers without `formaction`, such as text browsers,
 * send the form to its own action, which redirects without the name.
 */
export function KeepNameButton({ to, challenge, children }: KeepNameButtonProps): ReactNode {
  return (
    <button
      className="line-link"
      type="submit"
      name="next_form"
      value={to}
      formAction={withChallenge(ACTIONS[to], challenge)}
      formNoValidate
    >
      {children}
    </button>
  );
}
