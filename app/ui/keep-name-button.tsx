import type { ReactNode } from "react";
import { withChallenge } from "./sign-in-request.ts";
import { XsrfInput } from "./xsrf-input.tsx";

/** The form to which the button leads, as its action. */
const ACTIONS = { reset: "/password-reset/request-form", "sign-in": "/login/native" } as const;

type KeepNameButtonProps = { to: keyof typeof ACTIONS; challenge: string; children: ReactNode };

/**
 * A link to the user, between the sign-in form and that for a forgotten password. It is a button that posts the form
 * around it, so that the typed user name is kept without being in a URL. Browsers without `formaction`, such as text
 * browsers, send the form to its own action, which redirects.
 */
export function KeepNameButton({ to, challenge, children }: KeepNameButtonProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <a> cannot send the typed name without a script.
    <button
      className="line-link"
      type="submit"
      role="link"
      name="next_form"
      value={to}
      formAction={withChallenge(ACTIONS[to], challenge)}
      formNoValidate
    >
      {children}
    </button>
  );
}

type KeepNameFormProps = KeepNameButtonProps & { username: string; xsrf: string };

/** A `KeepNameButton` for a page without a field for the user name: a form of its own contains the name. */
export function KeepNameForm({ to, challenge, username, xsrf, children }: KeepNameFormProps): ReactNode {
  return (
    <form method="post" action={withChallenge(ACTIONS[to], challenge)}>
      <XsrfInput token={xsrf} />
      <input type="hidden" name="username" value={username} />
      <KeepNameButton to={to} challenge={challenge}>
        {children}
      </KeepNameButton>
    </form>
  );
}
