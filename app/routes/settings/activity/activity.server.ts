import type { ParseKeys, TFunction } from "i18next";
import { isProvider, PROVIDER_NAMES } from "#app/config/providers.ts";
import { ACTIVITY_KINDS, type ActivityKind } from "#app/domain/audit/event-definition.ts";
import { findAuditEvent } from "#app/domain/audit/events.ts";
import { type Activity, listOwnActivity } from "#app/domain/audit-trail/activity.server.ts";
import { USER_PRESENCE } from "#app/domain/engine-session/subject.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { browserText, type PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { dayHeading, distinctTimeText, type TimeTexts, timeText } from "#app/i18n/time-texts.server.ts";
import { requireUserInfo, stateOfUser, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { RefusableState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/**
 * An event of the audit trail as texts. `detail`: the second factor or provider that it is about; `client`: the
 * application; `source`: the user with a role who did it, browser, IP address and sign-in methods. "" when unknown. `isNewBrowser`: a sign-in with a
 * browser that was unknown.
 */
export type EventTexts = {
  time: string;
  /** Date and time with seconds, for the name of a button. */
  moment: string;
  what: string;
  detail: string;
  client: string;
  source: string;
  isNewBrowser: boolean;
};

/** The events of one day, the newest first. */
export type Day = { heading: string; events: EventTexts[] };

export type ActivityPage = PageView<
  RefusableState,
  {
    days: readonly Day[];
    /** The kinds that the list can be limited to. */
    kinds: readonly ActivityKind[];
    /** The kind of events that the list is limited to; null for all. */
    kind: ActivityKind | null;
    /** True if these are the newest events. */
    isFirst: boolean;
    /** `before` of the next page; null on the last page. */
    next: number | null;
    /** True if the user has an e-mail address, to which a link to a new password can be sent. */
    hasMail: boolean;
  }
>;

/**
 * Loads one page of the user's events, with the error of a rejected form. `before`: `next` of the previous page; null
 * for the newest events.
 */
export async function loadActivityPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { before, kind, error }: { before: number | null; kind: ActivityKind | null; error?: "xsrf" },
): Promise<ActivityPage> {
  const texts = await timeTexts(context, request);
  const { events, next } = await listOwnActivity(context, settings.access, { before, kind });
  const user = await requireUserInfo(context, settings);
  return {
    status: htmlStatus(error),
    title: pageTitle(texts.t, texts.t("manageActivity.title"), error !== undefined),
    state: { ...stateOfUser(settings, user), ...(error ? { error } : {}) },
    days: groupByDay(events, texts),
    kinds: ACTIVITY_KINDS,
    kind,
    isFirst: before === null,
    next,
    hasMail: user.hasMail,
  };
}

function groupByDay(events: readonly Activity[], texts: TimeTexts): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const heading = dayHeading(event.at, texts);
    if (days.at(-1)?.heading !== heading) days.push({ heading, events: [] });
    days.at(-1)?.events.push(eventTexts(event, texts));
  }
  return days;
}

function eventTexts(event: Activity, texts: TimeTexts): EventTexts {
  const { at, type, reason, client, browser, isNewBrowser, address, actor } = event;
  const { t } = texts;
  const hasBrowser = browser.name !== null || browser.system !== null;
  const by = actor === null ? "" : t("manageActivity.by", { name: actor });
  const source = [by, hasBrowser ? browserText(browser, texts) : "", address ?? "", methodsText(t, type, reason)];
  return {
    time: timeText(at, texts),
    moment: distinctTimeText(at, texts),
    // An event type of a later version has no text in this one.
    what: t(findAuditEvent(type)?.activity ?? "manageActivity.event.other"),
    detail: detailText(t, type, reason),
    client: client ?? "",
    source: source.filter((part) => part !== "").join("\u00a0· "),
    isNewBrowser,
  };
}

/** Returns the name of the second factor or provider that an event is about. */
function detailText(t: TFunction, type: string, reason: string | null): string {
  if (reason === null) return "";
  if (type.startsWith("provider.")) return isProvider(reason) ? PROVIDER_NAMES[reason] : "";
  const key = type.startsWith("factor.") ? FACTORS[reason] : undefined;
  return key === undefined ? "" : t(key);
}

/** Returns the methods of a sign-in, or of its first step. `reason` contains the values of `amr` (RFC 8176). */
function methodsText(t: TFunction, type: string, reason: string | null): string {
  if (type !== "sign-in.succeeded" && type !== "sign-in.second-factor-required") return "";
  const amr = (reason ?? "").split(" ");
  // A sign-in that began by a passkey: the key is that passkey.
  const isPasskey = amr.includes(USER_PRESENCE) && !amr.includes("swk");
  const names = amr.map((method) => METHODS[isPasskey && method === "hwk" ? "swk" : method]);
  return names.flatMap((key) => (key === undefined ? [] : t(key))).join(" + ");
}

/** Text keys by the reason that events about a second factor record. */
const FACTORS: Readonly<Record<string, ParseKeys>> = {
  totp: "manageActivity.factor.totp",
  "security key": "manageActivity.factor.securityKey",
  passkey: "manageActivity.factor.passkey",
  "recovery code": "manageActivity.factor.recoveryCode",
};

/** Text keys by the value of `amr` that a sign-in records; `mfa` and unknown values have none. */
const METHODS: Readonly<Record<string, ParseKeys>> = {
  pwd: "manageActivity.method.password",
  fed: "manageActivity.method.provider",
  otp: "manageActivity.method.code",
  hwk: "manageActivity.method.key",
  swk: "manageActivity.method.passkey",
  remembered_device: "manageActivity.method.device",
};
