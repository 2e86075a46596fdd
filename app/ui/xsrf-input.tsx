import type { ReactNode } from "react";

/** The anti-forgery token of a form. */
export function XsrfInput({ token }: { token: string }): ReactNode {
  return <input type="hidden" name="_xsrf" value={token} />;
}
