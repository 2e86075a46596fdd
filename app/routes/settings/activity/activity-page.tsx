import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Ledger, LedgerRow } from "#app/routes/settings/ledger.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import type { SettingsState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** An event in words; `factor`: which one it was about; `place`: browser and address, "" where neither is known. */
export type ShownEvent = { what: string; factor: string | null; when: string; place: string };

export type ActivityScreenProps = {
  state: SettingsState;
  events: readonly ShownEvent[];
  /** Whether these are the newest events. */
  isFirst: boolean;
  /** What the address of the following page carries; null on the last one. */
  next: number | null;
};

/** The page at /manage/activity: what happened with the account, the newest first. */
export function ActivityScreen({ events, isFirst, next }: ActivityScreenProps): ReactNode {
  const { t } = useTranslation();
  return (
    <SettingsPage
      title={t("manageActivity.heading")}
      lead={t("manageActivity.intro")}
      back={{ to: "/manage", text: t("manageError.back") }}
    >
      {events.length > 0 ? (
        <Ledger id="events" heading={t("manageActivity.listHeading")}>
          {events.map((event, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page of past events never changes its order.
            <LedgerRow key={place} label={event.when} value={<EventDetails {...event} />} />
          ))}
        </Ledger>
      ) : (
        <p>{t("manageActivity.none")}</p>
      )}
      <Pages isFirst={isFirst} next={next} />
      <div>
        <p className="note">{t("manageActivity.unknown")}</p>
        <div className="actions">
          <LineLink to="/manage/credentials/password">{t("manage.credentials.passwordAction")}</LineLink>
          <LineLink to="/manage/sessions">{t("manage.access.sessionsAction")}</LineLink>
        </div>
      </div>
    </SettingsPage>
  );
}

function EventDetails({ what, factor, place }: ShownEvent): ReactNode {
  return (
    <>
      <span className="event">{factor === null ? what : `${what}: ${factor}`}</span>
      {place === "" ? null : (
        <small className="about" translate="no">
          {place}
        </small>
      )}
    </>
  );
}

function Pages({ isFirst, next }: Pick<ActivityScreenProps, "isFirst" | "next">): ReactNode {
  const { t } = useTranslation();
  if (isFirst && next === null) return null;
  return (
    <nav className="actions" aria-label={t("manageActivity.pages")}>
      {isFirst ? null : <LineLink to="/manage/activity">{t("manageActivity.newest")}</LineLink>}
      {next === null ? null : <LineLink to={`/manage/activity?before=${next}`}>{t("manageActivity.older")}</LineLink>}
    </nav>
  );
}

export function activityTitle(t: TFunction): string {
  return pageTitle(t, t("manageActivity.title"));
}
