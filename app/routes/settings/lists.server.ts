import { listOwnActivity } from "#app/domain/audit/activity.server.ts";
import { listOwnConsents } from "#app/domain/consent/list.server.ts";
import { listOwnSessions, type OwnSession } from "#app/domain/session/list.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { momentText, type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import { type ActivityScreenProps, activityTitle } from "#app/routes/settings/activity/activity-page.tsx";
import { eventText, factorText } from "#app/routes/settings/activity/activity-texts.ts";
import {
  type ApplicationsScreenProps,
  applicationsTitle,
  scopeNames,
} from "#app/routes/settings/applications/applications-page.tsx";
import {
  type SessionsScreenProps,
  type ShownSession,
  sessionsTitle,
} from "#app/routes/settings/sessions/sessions-page.tsx";
import type { OwnListState, SettingsState } from "#app/ui/page-state.ts";
import { type BrowserNames, browserText, settingsState, stateFromUrl, timeTexts } from "./page-data.server.ts";

/** Where the person is signed in. */
export async function sessionsView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<PageView<OwnListState, SessionsScreenProps>> {
  const texts = await timeTexts(context, request);
  const sessions = await listOwnSessions(context, settings.access);
  const shown = sessions.map((session) => ({ isThis: session.isThis, session: shownSession(session, texts) }));
  return {
    status: htmlStatus(error),
    title: sessionsTitle(texts.t, error !== undefined),
    state: await listState(context, request, settings, error),
    own: shown.find(({ isThis }) => isThis)?.session ?? null,
    others: shown.filter(({ isThis }) => !isThis).map(({ session }) => session),
  };
}

function shownSession(session: OwnSession, texts: TimeTexts): ShownSession {
  const { id, applications, since, lastUsedAt, browser, address } = session;
  return {
    id,
    name: browserText(browser, texts),
    applications,
    since: whenText(since, texts),
    lastUsed: whenText(lastUsedAt, texts),
    address,
  };
}

/** What the person allowed which application. */
export async function applicationsView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<PageView<OwnListState, ApplicationsScreenProps>> {
  const texts = await timeTexts(context, request);
  const consents = await listOwnConsents(context, settings.access);
  return {
    status: htmlStatus(error),
    title: applicationsTitle(texts.t, error !== undefined),
    state: await listState(context, request, settings, error),
    applications: consents.map(({ since, scopes, ...consent }) => ({
      ...consent,
      scopes: scopeNames(texts.t, scopes),
      since: whenText(since, texts),
    })),
  };
}

/** One page of what happened lately. `before`: of the address; null for the newest events. */
export async function activityView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { before }: { before: number | null },
): Promise<PageView<SettingsState, ActivityScreenProps>> {
  const texts = await timeTexts(context, request);
  const { events, next } = await listOwnActivity(context, settings.access, { before });
  return {
    status: 200,
    title: activityTitle(texts.t),
    state: await settingsState(context, settings),
    events: events.map(({ at, type, reason, browser, address }) => ({
      what: eventText(texts.t, type),
      factor: factorText(texts.t, type, reason),
      when: momentText(at, texts),
      place: placeText({ browser, address }, texts),
    })),
    isFirst: before === null,
    next,
  };
}

async function listState(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error: "xsrf" | undefined,
): Promise<OwnListState> {
  return {
    ...(await settingsState(context, settings)),
    ...(error ? { error } : {}),
    ...stateFromUrl(request, "status"),
  };
}

/** Browser and address, as far as they are known: what a command did has neither. */
function placeText({ browser, address }: { browser: BrowserNames; address: string | null }, texts: TimeTexts): string {
  const isKnown = browser.name !== null || browser.system !== null;
  return [isKnown ? browserText(browser, texts) : "", address ?? ""].filter((part) => part !== "").join(" · ");
}
