import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { ACTIVITY_KINDS } from "#app/domain/audit/event-definition.ts";
import { issueNotMeToken } from "#app/domain/mail/not-me-link.server.ts";
import { notMeCookie } from "#app/http/cookies.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireSettings } from "#app/http/settings-session.server.ts";
import { distinctNames } from "#app/routes/settings/distinct-names.ts";
import { SettingsListPage } from "#app/routes/settings/page.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { LineLink } from "#app/ui/line-link.tsx";
import { Row, Section } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { type ActivityPage, type Day, type EventTexts, loadActivityPage } from "./activity.server.ts";

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

const notMeForm = defineForm({});

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const query = new URL(request.url).searchParams;
  return respondWith(
    loadActivityPage(
      context,
      request,
      settings,
      schema.parse({ before: query.get("before"), kind: query.get("kind") }),
    ),
  );
}

/** Redirects to the form that the links of security notices open, with a token in its cookie. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { _xsrf } = await readForm(request, notMeForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    return respondWith(loadActivityPage(context, request, settings, { before: null, kind: null, error: "xsrf" }));
  }
  const token = await issueNotMeToken(context, settings.access.userId);
  return redirect303("/login/not-me", { "Set-Cookie": notMeCookie.keep(context.config, token) });
}

/** The page at /manage/activity: the user's events by day, the newest first. */
export default function Activity() {
  const { t } = useTranslation();
  const page: ActivityPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, days, kinds, kind, isFirst, next, hasMail } = page;
  return (
    <SettingsListPage state={state} title={t("manageActivity.heading")} lead={t("manageActivity.intro")}>
      <KindFilter kinds={kinds} kind={kind} />
      {days.length > 0 ? null : <p>{t("manageActivity.none")}</p>}
      {days.map((day, index) => (
        <DaySection
          key={day.heading}
          id={`day-${index + 1}`}
          {...day}
          xsrf={hasMail && state.xsrf_token ? state.xsrf_token : null}
        />
      ))}
      <Pagination kind={kind} isFirst={isFirst} next={next} />
      {days.length > 0 ? <UnknownEvents /> : null}
    </SettingsListPage>
  );
}

/** The next steps of a user who does not recognise an event. */
function UnknownEvents(): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="pair" aria-labelledby="unknown">
      <h2 id="unknown">{t("manageActivity.unknown.heading")}</h2>
      <p className="note">{t("manageActivity.unknown.description")}</p>
      <div className="actions">
        <LineLink to="/manage/credentials/password">{t("manage.credentials.passwordAction")}</LineLink>
        <LineLink to="/manage/sessions">{t("manage.access.sessionsAction")}</LineLink>
      </div>
    </section>
  );
}

/** Limits the list to a kind of events. Works without a script. */
function KindFilter({ kinds, kind }: Pick<ActivityPage, "kinds" | "kind">): ReactNode {
  const { t } = useTranslation();
  return (
    <Form className="filter" action="/manage/activity">
      <div className="field pair">
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

/** `xsrf`: null if events cannot be reported. */
type DaySectionProps = Day & { id: string; xsrf: string | null };

function DaySection({ id, heading, events, xsrf }: DaySectionProps): ReactNode {
  const reportable = events.filter(({ isNewBrowser }) => isNewBrowser);
  const times = distinctNames(reportable.map(({ moment }) => moment));
  return (
    <Section id={id} heading={heading}>
      {events.map((event, place) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a page of past events never changes its order.
          key={place}
          label={
            <>
              <time translate="no">{event.time}</time>{" "}
              <span>{event.detail === "" ? event.what : `${event.what}: ${event.detail}`}</span>
            </>
          }
          value={<EventDescription {...event} />}
          action={
            event.isNewBrowser && xsrf !== null ? (
              <NotMeForm time={times[reportable.indexOf(event)] ?? ""} xsrf={xsrf} />
            ) : null
          }
          isWarning={event.isNewBrowser}
        />
      ))}
    </Section>
  );
}

function EventDescription({ client, source, isNewBrowser }: EventTexts): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {isNewBrowser ? <b className="unusual">{t("manageActivity.newBrowser")}</b> : null}{" "}
      {[client, source].filter(Boolean).map((text) => (
        <span key={text} className="also" translate="no">
          {/* The space is for text browsers. */}
          {text}{" "}
        </span>
      ))}
    </>
  );
}

/** A plain form: its target is not a page of the settings. */
function NotMeForm({ time, xsrf }: { time: string; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <form method="post" action="/manage/activity">
      <XsrfInput token={xsrf} />
      <Submit quiet label={t("manageActivity.notMeAt", { time })}>
        {t("manageActivity.notMe")}
      </Submit>
    </form>
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
