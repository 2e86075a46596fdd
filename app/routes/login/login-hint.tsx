import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AccountRow } from "#app/ui/account-row.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { LoginHint, LoginState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

type LoginHintScreenProps = {
  state: LoginState;
  account: LoginHint;
  client: ClientLabel | null;
  username: string;
};

/** Asks whether to go on with the account of the live session. */
export function LoginHintScreen({ state, account, client, username }: LoginHintScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Page
      title={t("loginHint.heading")}
      before={state.error ? <ErrorSummary code={state.error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      <AccountRow name={account.name}>
        <b>{account.name}</b>
        <small>{username}</small>
      </AccountRow>
      <form className="actions" method="post" action="/login/proceed">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={state.login_challenge} />
        <input type="hidden" name="user" value={account.id} />
        <Submit name="proceed" value="1">
          {t("loginHint.proceed")}
        </Submit>
        <Submit name="proceed" value="0" quiet>
          {t("loginHint.otherAccount")}
        </Submit>
      </form>
    </Page>
  );
}
