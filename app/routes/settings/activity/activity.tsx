import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { ACTIVITY_KINDS } from "#app/domain/audit/activity.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { Row, Section } from "#app/routes/settings/rows.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { type ActivityPage, type Day, loadActivityPage } from "./activity.server.ts";

/** Parameters of the URL; other values show the newest events of all kinds. */
const schema = z.object({
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .nullable()
    .catch(null),
  kind: z.enum(ACTIVITY_KINDS).nullable().catch(null),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const query = new URL(request.url).searchParams;
  const page = await loadActivityPage(
    context,
    request,
    settings,
    schema.parse({ before: query.get("before"), kind: query.get("kind") }),
  );
  return data(page, page.status);
}

/** The page at /manage/activity: the user's events by day, the newest first. */
export default function Activity() {
  const { t } = useTranslation();
  const { days, kinds, kind, isFirst, next } = useDocumentState(useLoaderData<typeof loader>());
  return (
    <SettingsPage
      title={t("manageActivity.heading")}
      lead={t("manageActivity.intro")}
      back={{ to: "/manage", text: t("manage.title") }}
    >
      <KindFilter kinds={kinds} kind={kind} />
      {days.length > 0 ? null : <p>{t("manageActivity.none")}</p>}
      {days.map((day, index) => (
        <DaySection key={day.heading} id={`day-${index + 1}`} {...day} />
      ))}
      <Pagination kind={kind} isFirst={isFirst} next={next} />
      <section className="pair" aria-labelledby="unknown">
        <h2 id="unknown">{t("manageActivity.unknown.heading")}</h2>
        <p className="note">{t("manageActivity.unknown.description")}</p>
        <div className="actions">
          <LineLink to="/manage/credentials/password">{t("manage.credentials.passwordAction")}</LineLink>
          <LineLink to="/manage/sessions">{t("manage.access.sessionsAction")}</LineLink>
        </div>
      </section>
    </SettingsPage>
  );
}

/** Limits the list to a kind of events. Works without a script. */
function KindFilter({ kinds, kind }: Pick<ActivityPage, "kinds" | "kind">): ReactNode {
  const { t } = useTranslation();
  return (
    <Form className="filter" action="/manage/activity">
      <div className="field">
        <label htmlFor="kind">{t("manageActivity.kind.label")}</label>
        {/* A new element for each kind, so that a link to all kinds resets the choice. */}
        <select className="input" id="kind" name="kind" key={kind} defaultValue={kind ?? ""}>
          <option value="">{t("manageActivity.kind.all")}</option>
          {kinds.map((value) => (
            <option key={value} value={value}>
              {t(`manageActivity.kind.${value}`)}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button quiet">
        {t("manageActivity.kind.submit")}
      </button>
    </Form>
  );
}

function DaySection({ id, heading, events }: Day & { id: string }): ReactNode {
  return (
    <Section id={id} heading={heading}>
      {events.map(({ time, what, detail, client, source }, place) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a page of past events never changes its order.
          key={place}
          label={
            <>
              <time translate="no">{time}</time> <span>{detail === "" ? what : `${what}: ${detail}`}</span>
            </>
          }
          value={
            <>
              {client === "" ? null : (
                <span className="also" translate="no">
                  {client}
                </span>
              )}
              {source === "" ? null : (
                <span className="also" translate="no">
                  {source}
                </span>
              )}
            </>
          }
        />
      ))}
    </Section>
  );
}

function Pagination({ kind, isFirst, next }: Pick<ActivityPage, "kind" | "isFirst" | "next">): ReactNode {
  const { t } = useTranslation();
  if (isFirst && next === null) return null;
  const urlOf = (before: number | null) => {
    const query = new URLSearchParams({
      ...(kind === null ? {} : { kind }),
      ...(before === null ? {} : { before: String(before) }),
    });
    return `/manage/activity${query.size > 0 ? `?${query}` : ""}`;
  };
  return (
    <nav className="actions" aria-label={t("manageActivity.pages")}>
      {isFirst ? null : <LineLink to={urlOf(null)}>{t("manageActivity.newest")}</LineLink>}
      {next === null ? null : <LineLink to={urlOf(next)}>{t("manageActivity.older")}</LineLink>}
    </nav>
  );
}
