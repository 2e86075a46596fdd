import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Submit } from "./submit.tsx";
import { XsrfInput } from "./xsrf-input.tsx";

/** The id of the form. */
export const RESTART_FORM = "restart";

type RestartFormProps = {
  /** The page that owns the challenge and restarts its request. */
  page: "login" | "consent";
  challenge: string;
  xsrf: string;
  username?: string | undefined;
};

/** A button that restarts the same authorization request and keeps the typed user name. */
export function RestartForm({ page, challenge, xsrf, username }: RestartFormProps): ReactNode {
  const { t } = useTranslation();
  return (
    <form id={RESTART_FORM} method="post" action={`/${page}`}>
      <XsrfInput token={xsrf} />
      <input type="hidden" name={`${page}_challenge`} value={challenge} />
      {username ? <input type="hidden" name="username" value={username} /> : null}
      <Submit>{t("login.error.challengeRestart")}</Submit>
    </form>
  );
}
