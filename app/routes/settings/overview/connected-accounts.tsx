import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { ProviderMark } from "#app/ui/provider-mark.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** A provider, and the person's account there: null where none is connected; its name is null where it has none. */
export type ConnectedAccount = { provider: Provider; account: { name: string | null } | null };

const NAMES = { google: "Google", microsoft: "Microsoft", apple: "Apple" } as const satisfies Record<Provider, string>;

/** The providers with which a person can sign in as well; nothing at all where none is configured. */
export function ConnectedAccounts({
  accounts,
  xsrf,
}: {
  accounts: readonly ConnectedAccount[];
  xsrf: string;
}): ReactNode {
  const { t } = useTranslation();
  if (accounts.length === 0) return null;
  return (
    <Ledger id="accounts" heading={t("manage.providers.heading")} lead={t("manage.providers.description")}>
      {accounts.map((connected) => (
        <AccountRow key={connected.provider} {...connected} xsrf={xsrf} />
      ))}
    </Ledger>
  );
}

function AccountRow({ provider, account, xsrf }: ConnectedAccount & { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  const name = NAMES[provider];
  const mark = (
    <>
      <ProviderMark provider={provider} />
      {name}
    </>
  );
  return (
    <LedgerRow
      label={mark}
      value={account ? connectedAs(t, account.name) : t("manage.providers.notConnected")}
      action={
        // Both lead out of the pages that Remix knows.
        <form method="post" action={`/manage/oauth/${provider}`}>
          <XsrfInput token={xsrf} />
          <input type="hidden" name="intent" value={account ? "disconnect" : "connect"} />
          <Submit quiet>
            {t(account ? "manage.providers.disconnect" : "manage.providers.connect", { provider: name })}
          </Submit>
        </form>
      }
    />
  );
}

function connectedAs(t: TFunction, name: string | null): string {
  return name === null ? t("manage.providers.connectedNoName") : t("manage.providers.connected", { name });
}
