import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsListPage } from "#app/routes/settings/page.tsx";
import type { OwnListState } from "#app/ui/page-state.ts";
import { scopeName } from "#app/ui/scope-name.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** An application that the person allowed something; `scopes` and `since` in words. */
export type ShownApplication = { clientId: string; name: string; scopes: readonly string[]; since: string };

export type ApplicationsScreenProps = { state: OwnListState; applications: readonly ShownApplication[] };

/** The page at /manage/applications: what was allowed which application, and how to take it back. */
export function ApplicationsScreen({ state, applications }: ApplicationsScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsListPage state={state} title={t("manageApplications.heading")} lead={t("manageApplications.intro")}>
      {applications.length > 0 ? (
        <Ledger id="allowed" heading={t("manageApplications.listHeading")}>
          {applications.map((application) => (
            <ApplicationRow key={application.clientId} {...application} xsrf={state.xsrf_token} />
          ))}
        </Ledger>
      ) : (
        <p>{t("manageApplications.none")}</p>
      )}
      <p className="note">{t("manageApplications.ownNote")}</p>
    </SettingsListPage>
  );
}

function ApplicationRow({ clientId, name, scopes, since, xsrf }: ShownApplication & { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <LedgerRow
      label={<span className="key-name">{name}</span>}
      value={
        <>
          {t("manageApplications.since", { when: since })}
          <ul className="scope-names">
            {scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </>
      }
      action={
        <form method="post" action="/manage/applications">
          <XsrfInput token={xsrf} />
          <input type="hidden" name="client_id" value={clientId} />
          <Submit
            quiet
            busy={t("manageApplications.withdrawing")}
            label={t("manageApplications.withdrawNamed", { name })}
          >
            {t("manageApplications.withdraw")}
          </Submit>
        </form>
      }
    />
  );
}

export function applicationsTitle(t: TFunction, hasProblem: boolean): string {
  return pageTitle(t, t("manageApplications.title"), hasProblem);
}

/** What was allowed, in words: the server finds them, so that no browser loads the names of all scopes. */
export function scopeNames(t: TFunction, ids: readonly string[]): string[] {
  return ids.map((id) => scopeName(t, id));
}
