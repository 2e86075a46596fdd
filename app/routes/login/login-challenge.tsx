import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginState } from "#app/ui/page-state.ts";
import { RestartForm } from "#app/ui/restart-form.tsx";
import { LoginForm } from "./login-form.tsx";

/** Why a sign-in that can be started again cannot go on as it is. */
export type RestartReason = "expired" | "other-browser";

/** The way on from a challenge that no longer works: back to the application, or the same request once more. */
export type WayOn =
  | { kind: "app"; url: string }
  | { kind: "restart"; reason: RestartReason; challenge: string; username?: string | undefined };

type LoginChallengeProps = { state: LoginState; client: ClientLabel | null; username: string; wayOn: WayOn };

/** The sign-in page whose challenge is missing, expired or another browser's: switched off, with one way on. */
export function LoginChallenge({ state, client, username, wayOn }: LoginChallengeProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("login.heading")}
      before={
        <>
          <Alert kind="error" code="challenge" word={t("login.error.challengeQuote")}>
            <p>{t(explanation(wayOn))}</p>
          </Alert>
          {wayOn.kind === "app" ? (
            <ButtonLink href={wayOn.url}>{t("login.error.challengeAction")}</ButtonLink>
          ) : (
            <RestartForm page="login" challenge={wayOn.challenge} xsrf={state.xsrf_token} username={wayOn.username} />
          )}
        </>
      }
      tone="error"
      client={client}
    >
      <LoginForm challenge={state.login_challenge} xsrf={state.xsrf_token} username={username} disabled />
    </Page>
  );
}

function explanation(wayOn: WayOn) {
  if (wayOn.kind === "app") return "login.error.challenge";
  return wayOn.reason === "expired" ? "login.error.challengeExpired" : "login.error.challengeOtherBrowser";
}
