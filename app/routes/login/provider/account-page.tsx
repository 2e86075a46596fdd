import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { AccountSelectionError, AccountSelectionState } from "#app/ui/page-state.ts";
import { providerName } from "#app/ui/provider-name.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { SelectableRow } from "./selectable-row.tsx";

export type SelectAccountScreenProps = {
  state: AccountSelectionState;
  provider: Provider;
  client: ClientLabel | null;
  /** The account that this identity opened last; chosen until the person chooses another one. */
  lastUsed: string | null;
};

/** Which of several accounts an external identity shall open. */
export function SelectAccountScreen({ state, provider, client, lastUsed }: SelectAccountScreenProps): ReactNode {
  const { t } = useTranslation();
  const { accounts, token, login_challenge: challenge } = state.account_selection;
  const first = accounts.find(({ blocked }) => !blocked);
  const problem = state.error ? { text: t(PROBLEMS[state.error]), field: first && fieldOf(first.id) } : null;
  return (
    <Page
      title={t("selectAccount.heading")}
      lead={t("selectAccount.description", { provider: providerName(provider) })}
      before={problem ? <ErrorSummary code={state.error ?? ""} problems={[problem]} /> : null}
      tone={problem ? "error" : "normal"}
      client={client}
    >
      <form className="flow" method="post" action={`/login/${provider}/account`}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={challenge} />
        <input type="hidden" name="token" value={token} />
        <fieldset className="choices">
          <legend>{t("selectAccount.legend")}</legend>
          {accounts.map((account) => (
            <SelectableRow
              key={account.id}
              id={fieldOf(account.id)}
              account={account}
              isChosen={account.id === lastUsed && !account.blocked}
            />
          ))}
        </fieldset>
        <Submit busy={t("login.submitting")}>{t("selectAccount.submit")}</Submit>
      </form>
      <a
        className="line-link"
        href={`/login/native?${new URLSearchParams({ login_challenge: challenge, proceed: "0" })}`}
      >
        {t("selectAccount.native")}
      </a>
    </Page>
  );
}

const PROBLEMS = {
  "bad request": "selectAccount.error.none",
  credentials: "selectAccount.error.refused",
  xsrf: "common.formExpired",
} as const satisfies Record<AccountSelectionError, string>;

function fieldOf(id: string): string {
  return `account-${id}`;
}

export function selectAccountTitle(t: TFunction, { error }: AccountSelectionState): string {
  return pageTitle(t, t("selectAccount.title"), error !== undefined);
}
