import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { recordVerification } from "#app/domain/audit-trail/verify.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { Row, Section } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { type ActivityPage, type Day, type EventTexts, loadActivityPage } from "./activity.server.ts";
import { ACTIVITY_PATH } from "./path.ts";

const checkForm = defineForm({});

/** Reading the chain is much work: within a minute, the button shows the last result again. */
const CHECK_NOT_WITHIN_MS = MINUTE_MS;

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadActivityPage(await requireAdministration(context, request, "read activity"), request));
}

/** Verifies the hash chain. */
export async function action({ context, request }: ActionFunctionArgs) {
  const administration = await requireAdministration(context, request, "read activity");
  const { _xsrf } = await readForm(request, checkForm);
  if (!isOwnSettingsForm(context, administration.access, _xsrf)) {
    return respondWith(loadActivityPage(administration, request, "xsrf"));
  }
  await recordVerification(administration.context, CHECK_NOT_WITHIN_MS);
  return redirect303(`${ACTIVITY_PATH}?done=checked#proof`);
}

/** The page at /manage/admin/activity: the audit trail by day, the newest first. */
export default function Activity() {
  const { t } = useTranslation();
  const page: ActivityPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, days, problem, done } = page;
  return (
    <AdministrationPage
      title={t("adminActivity.title")}
      lead={t("adminActivity.lead")}
      parent={{ to: "/", text: t("manage.areas.start") }}
      error={state.error ? { code: state.error, problems: [{ text: t("common.formExpired") }] } : null}
      banner={<Banner done={done} words={{ checked: t("adminActivity.done.checked") }} close={ACTIVITY_PATH} />}
    >
      <Filter {...page} />
      {days.length > 0 ? null : <p>{problem === "" ? t("adminActivity.none") : problem}</p>}
      {days.map((day, index) => (
        <DaySection key={day.heading} id={`day-${index + 1}`} {...day} />
      ))}
      <Pagination {...page} />
      <Proof {...page} />
    </AdministrationPage>
  );
}

function Filter({ filter, kinds, applications }: Pick<ActivityPage, "filter" | "kinds" | "applications">): ReactNode {
  const { t } = useTranslation();
  const { person, actor, kind, app, from, to } = filter;
  return (
    <form className="filter many" method="get" action={ACTIVITY_PATH}>
      <TextField name="person" label={t("adminActivity.person")} value={person} />
      <TextField name="actor" label={t("adminActivity.actor")} value={actor} />
      <div className="field">
        <label htmlFor="kind">{t("adminActivity.kind.label")}</label>
        <select className="input" id="kind" name="kind" defaultValue={kind}>
          <option value="">{t("adminActivity.kind.all")}</option>
          {kinds.map((value) => (
            <option key={value} value={value}>
              {t(`adminActivity.kind.${value}`)}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="app">{t("adminActivity.application")}</label>
        <select className="input" id="app" name="app" defaultValue={app}>
          <option value="">{t("adminActivity.allApplications")}</option>
          {applications.map(({ id, name }) => (
            <option key={id} value={id} translate="no">
              {name}
            </option>
          ))}
        </select>
      </div>
      <DayField name="from" label={t("adminActivity.from")} value={from} />
      <DayField name="to" label={t("adminActivity.to")} value={to} />
      <button type="submit" className="button quiet">
        {t("adminActivity.submit")}
      </button>
    </form>
  );
}

type FieldProps = { name: string; label: string; value: string };

function TextField({ name, label, value }: FieldProps): ReactNode {
  return (
    <div className="field half">
      <label htmlFor={name}>{label}</label>
      <input className="input" id={name} name={name} defaultValue={value} spellCheck={false} />
    </div>
  );
}

function DayField({ name, label, value }: FieldProps): ReactNode {
  return (
    <div className="field half">
      <label htmlFor={name}>{label}</label>
      <input className="input" id={name} name={name} type="date" max="9999-12-31" defaultValue={value} />
    </div>
  );
}

function DaySection({ id, heading, events }: Day & { id: string }): ReactNode {
  return (
    <Section id={id} heading={heading}>
      {events.map((event, place) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a page of past events never changes its order.
          key={place}
          label={
            <>
              <time dateTime={event.dateTime} translate="no">
                {event.time}
              </time>{" "}
              <span>
                {event.what}
                {event.detail === "" ? null : <span translate="no">{`: ${event.detail}`}</span>}
              </span>
            </>
          }
          value={<EventDescription {...event} />}
          isWarning={event.isWarning}
        />
      ))}
    </Section>
  );
}

function EventDescription({ about, by, source }: EventTexts): ReactNode {
  return [about, by, source].filter(Boolean).map((text) => (
    <span key={text} className="also" translate="no">
      {/* The space is for text browsers. */}
      {text}{" "}
    </span>
  ));
}

function Pagination({ newest, older }: Pick<ActivityPage, "newest" | "older">): ReactNode {
  const { t } = useTranslation();
  if (newest === null && older === null) return null;
  return (
    <nav className="actions" aria-label={t("adminActivity.pages")}>
      {newest === null ? null : <PageLink to={newest}>{t("adminActivity.newest")}</PageLink>}
      {older === null ? null : <PageLink to={older}>{t("adminActivity.older")}</PageLink>}
    </nav>
  );
}

function PageLink({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <a className="line-link" href={to}>
      {children}
    </a>
  );
}

/** The result of the last verification of the chain, and the files. */
function Proof({ proof, exports, xsrf }: Pick<ActivityPage, "proof" | "exports" | "xsrf">): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="pair" aria-labelledby="proof">
      <h2 id="proof">{t("adminActivity.proof.heading")}</h2>
      {proof.isBroken ? (
        <div className="alert" data-kind="error">
          <p className="word">{t("adminActivity.proof.brokenTitle")}</p>
          <p>{proof.text}</p>
        </div>
      ) : (
        <p className="lead">{proof.text}</p>
      )}
      <form method="post" action={ACTIVITY_PATH}>
        <XsrfInput token={xsrf} />
        <Submit quiet>{t("adminActivity.proof.check")}</Submit>
      </form>
      <p className="note">{exports.limit}</p>
      <div className="actions natural">
        <ButtonLink quiet href={exports.csv}>
          {t("adminActivity.proof.csv")}
        </ButtonLink>
        <ButtonLink quiet href={exports.json}>
          {t("adminActivity.proof.json")}
        </ButtonLink>
      </div>
    </section>
  );
}
