import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsListPage } from "#app/routes/settings/page.tsx";
import type { OwnListState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** A session as its person is shown it; `name`: of the browser; times in words; `address`: "" where it is not known. */
export type ShownSession = {
  id: string;
  name: string;
  applications: readonly string[];
  since: string;
  lastUsed: string;
  address: string;
};

export type SessionsScreenProps = {
  state: OwnListState;
  /** The session that the settings were opened in; null where no session opened them. */
  own: ShownSession | null;
  others: readonly ShownSession[];
};

/** The page at /manage/sessions: where a person is signed in, and how to be so no more. */
export function SessionsScreen({ state, own, others }: SessionsScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsListPage state={state} title={t("manageSessions.heading")} lead={t("manageSessions.intro")}>
      {own ? (
        <Ledger id="own" heading={t("manageSessions.current")}>
          <LedgerRow label={own.name} value={<SessionIdentity {...own} />} />
        </Ledger>
      ) : null}
      {others.length > 0 ? (
        <>
          <Ledger id="others" heading={t("manageSessions.others")}>
            {others.map((session) => (
              <LedgerRow
                key={session.id}
                label={session.name}
                value={<SessionIdentity {...session} />}
                action={<EndOne session={session} xsrf={state.xsrf_token} />}
              />
            ))}
          </Ledger>
          <EndOthers xsrf={state.xsrf_token} />
        </>
      ) : (
        <p>{t("manageSessions.noOthers")}</p>
      )}
    </SettingsListPage>
  );
}

function SessionIdentity({ applications, since, lastUsed, address }: ShownSession): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {t("manageSessions.lastActive", { when: lastUsed })}
      <small className="about">{t("manageSessions.since", { when: since })}</small>
      {applications.length > 0 ? (
        <small className="about">{t("manageSessions.usedBy", { names: applications.join(", ") })}</small>
      ) : null}
      {address === "" ? null : (
        <small className="about" translate="no">
          {address}
        </small>
      )}
    </>
  );
}

function EndOne({ session, xsrf }: { session: ShownSession; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <form method="post" action="/manage/sessions">
      <XsrfInput token={xsrf} />
      <input type="hidden" name="intent" value="one" />
      <input type="hidden" name="session" value={session.id} />
      <Submit quiet busy={t("manageSessions.ending")} label={t("manageSessions.endNamed", { name: session.name })}>
        {t("manageSessions.end")}
      </Submit>
    </form>
  );
}

function EndOthers({ xsrf }: { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <form method="post" action="/manage/sessions">
      <XsrfInput token={xsrf} />
      <input type="hidden" name="intent" value="others" />
      <Submit danger busy={t("manageSessions.ending")}>
        {t("manageSessions.endAll")}
      </Submit>
    </form>
  );
}

export function sessionsTitle(t: TFunction, hasProblem: boolean): string {
  return pageTitle(t, t("manageSessions.title"), hasProblem);
}
