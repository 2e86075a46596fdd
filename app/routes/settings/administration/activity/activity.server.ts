import type { ParseKeys, TFunction } from "i18next";
import { isProvider, PROVIDER_NAMES } from "#app/config/providers.ts";
import { isStoredEvent, TRAIL_KINDS, type TrailKind } from "#app/domain/audit/events.ts";
import {
  findTrailProof,
  listTrail,
  MAX_EXPORTED,
  resolveTrail,
  type TrailEvent,
  type TrailPage,
  type TrailProof,
} from "#app/domain/audit-trail/trail.server.ts";
import { listClients } from "#app/domain/client/show.server.ts";
import type { Administration } from "#app/http/administration.server.ts";
import { browserText, type PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { dayHeading, type TimeTexts, timeText, whenText } from "#app/i18n/time-texts.server.ts";
import { timeTexts } from "#app/routes/settings/page-data.server.ts";
import { pageTitle } from "#app/ui/title.ts";
import { ACTIVITY_PATH } from "./path.ts";
import { type ActivityFilter, activityUrl, readActivityUrl, toTrailQuery } from "./query.server.ts";

/**
 * An event as texts, "" if they do not apply. `detail`: the role, group, factor or provider; `about`: the person and the application; `by`: who did it; `source`: browser
 * and address. `isWarning`: the event was refused or failed.
 */
export type EventTexts = {
  time: string;
  dateTime: string;
  what: string;
  detail: string;
  about: string;
  by: string;
  source: string;
  isWarning: boolean;
};

/** The events of one day, the newest first. */
export type Day = { heading: string; events: EventTexts[] };

export type ActivityPage = PageView<
  { error?: "xsrf" },
  {
    days: readonly Day[];
    filter: ActivityFilter;
    kinds: readonly TrailKind[];
    applications: readonly { id: string; name: string }[];
    /** A sentence about a name that matches no or too many users. */
    problem: string;
    newest: string | null;
    older: string | null;
    proof: { text: string; isBroken: boolean };
    exports: { csv: string; json: string; limit: string };
    xsrf: string;
    done: string | null;
  }
>;

/** Loads one page of the audit trail, with the error of a rejected form. */
export async function loadActivityPage(
  { context, xsrf }: Pick<Administration, "context" | "xsrf">,
  request: Request,
  error?: "xsrf",
): Promise<ActivityPage> {
  const texts = await timeTexts(context, request);
  const { t } = texts;
  const { filter, before } = readActivityUrl(request);
  const resolved = await resolveTrail(context, toTrailQuery(context, filter));
  const nothing: TrailPage = { events: [], next: null };
  const { events, next } = resolved.kind === "filter" ? await listTrail(context, resolved.filter, before) : nothing;
  const exportPath = `${ACTIVITY_PATH}/export`;
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("adminActivity.title"), error !== undefined),
    state: error ? { error } : {},
    days: groupByDay(events, texts),
    filter,
    kinds: TRAIL_KINDS,
    applications: (await listClients(context)).map(({ id, name }) => ({ id, name })),
    problem: problemText(t, resolved.kind, filter),
    newest: before === null ? null : activityUrl(ACTIVITY_PATH, filter),
    older: next === null ? null : activityUrl(ACTIVITY_PATH, filter, { before: String(next) }),
    proof: proofTexts(await findTrailProof(context), texts),
    exports: {
      csv: activityUrl(exportPath, filter, { format: "csv" }),
      json: activityUrl(exportPath, filter, { format: "json" }),
      limit: t("adminActivity.proof.limit", { number: MAX_EXPORTED }),
    },
    xsrf,
    done: new URL(request.url).searchParams.get("done") === "checked" ? "checked" : null,
  };
}

function problemText(t: TFunction, kind: "filter" | "unknown person" | "too many", { person }: ActivityFilter): string {
  if (kind === "filter") return "";
  return kind === "too many" ? t("adminActivity.tooMany") : t("adminActivity.unknownPerson", { name: person });
}

function proofTexts(proof: TrailProof | null, texts: TimeTexts): ActivityPage["proof"] {
  const { t } = texts;
  if (proof === null) return { text: t("adminActivity.proof.never"), isBroken: false };
  const when = whenText(proof.at, texts);
  if (!proof.ok) return { text: t("adminActivity.proof.broken", { when }), isBroken: true };
  return { text: t("adminActivity.proof.intact", { when, count: proof.events }), isBroken: false };
}

function groupByDay(events: readonly TrailEvent[], texts: TimeTexts): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const heading = dayHeading(event.at, texts);
    if (days.at(-1)?.heading !== heading) days.push({ heading, events: [] });
    days.at(-1)?.events.push(eventTexts(event, texts));
  }
  return days;
}

function eventTexts(event: TrailEvent, texts: TimeTexts): EventTexts {
  const { at, type, outcome, client, browser, address } = event;
  const { t } = texts;
  const hasBrowser = browser.name !== null || browser.system !== null;
  return {
    time: timeText(at, texts),
    dateTime: at.toISOString(),
    what: whatText(t, type),
    detail: detailText(t, event),
    about: joined([personText(t, event), client ?? ""]),
    by: byText(t, event),
    source: joined([hasBrowser ? browserText(browser, texts) : "", address ?? ""]),
    isWarning: outcome !== "ok",
  };
}

/** Every stored event has a text: a new one without it does not compile. An event of another version has none. */
function whatText(t: TFunction, type: string): string {
  return isStoredEvent(type) ? t(`adminActivity.event.${type}`) : t("adminActivity.event.other");
}

function personText(t: TFunction, { person }: TrailEvent): string {
  if (person === null) return "";
  return person.isRemoved ? t("adminActivity.removed", { name: person.name }) : person.name;
}

function byText(t: TFunction, { actor }: TrailEvent): string {
  if (actor === null) return "";
  const { kind, name } = actor;
  return kind === "command" ? t("adminActivity.byCommand", { name }) : t("adminActivity.by", { name });
}

/** Returns the role, group, factor or provider that an event is about. */
function detailText(t: TFunction, { type, reason }: TrailEvent): string {
  if (reason === null) return "";
  if (type.startsWith("provider.")) return isProvider(reason) ? PROVIDER_NAMES[reason] : "";
  if (type.startsWith("group.")) return reason;
  if (type.startsWith("role.")) return roleText(t, reason);
  const key = type.startsWith("factor.") ? FACTORS[reason] : undefined;
  return key === undefined ? "" : t(key);
}

/** `reason` is the role, with the name of the office after a colon. */
function roleText(t: TFunction, reason: string): string {
  const [role = "", ...office] = reason.split(": ");
  const key = ROLES[role];
  return key === undefined ? reason : [t(key), ...office].join(", ");
}

/** Text keys by role, as recorded. */
const ROLES: Readonly<Record<string, ParseKeys>> = {
  administrator: "admin.roles.administrator",
  "help-desk": "admin.roles.help-desk",
};

/** Text keys by the reason that events about a second factor record. */
const FACTORS: Readonly<Record<string, ParseKeys>> = {
  totp: "manageActivity.factor.totp",
  "security key": "manageActivity.factor.securityKey",
  passkey: "manageActivity.factor.passkey",
  "recovery code": "manageActivity.factor.recoveryCode",
};

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
