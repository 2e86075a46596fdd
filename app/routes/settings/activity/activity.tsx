import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { Row, Section } from "#app/routes/settings/rows.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { type ActivityPage, type EventTexts, loadActivityPage } from "./activity.server.ts";

/** `before` of the URL; any other value shows the newest events. */
const schema = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .nullable()
  .catch(null);

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const before = schema.parse(new URL(request.url).searchParams.get("before"));
  const page = await loadActivityPage(context, request, settings, { before });
  return data(page, page.status);
}

/** The page at /manage/activity: the user's events, the newest first. */
export default function Activity() {
  const { t } = useTranslation();
  const { events, isFirst, next } = useDocumentState(useLoaderData<typeof loader>());
  return (
    <SettingsPage
      title={t("manageActivity.heading")}
      lead={t("manageActivity.intro")}
      back={{ to: "/manage", text: t("manage.title") }}
    >
      {events.length > 0 ? (
        <Section id="events" heading={t("manageActivity.listHeading")}>
          {events.map((event, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page of past events never changes its order.
            <Row key={place} label={event.when} value={<EventDescription {...event} />} />
          ))}
        </Section>
      ) : (
        <p>{t("manageActivity.none")}</p>
      )}
      <Pagination isFirst={isFirst} next={next} />
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

function EventDescription({ what, factor, place }: EventTexts): ReactNode {
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

function Pagination({ isFirst, next }: Pick<ActivityPage, "isFirst" | "next">): ReactNode {
  const { t } = useTranslation();
  if (isFirst && next === null) return null;
  return (
    <nav className="actions" aria-label={t("manageActivity.pages")}>
      {isFirst ? null : <LineLink to="/manage/activity">{t("manageActivity.newest")}</LineLink>}
      {next === null ? null : <LineLink to={`/manage/activity?before=${next}`}>{t("manageActivity.older")}</LineLink>}
    </nav>
  );
}
