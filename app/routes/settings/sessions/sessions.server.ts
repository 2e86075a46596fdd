import { listOwnSessions, type OwnSession } from "#app/domain/session/list.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { browserText, type PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { distinctTimeText, type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import { isPhone, settingsState, stateFromUrl, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { OwnListState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { type DeviceTexts, loadRememberedDevices } from "./remembered-devices.server.ts";

/**
 * A session with formatted times. `name`: browser and system; `signedIn`: time of the sign-in with seconds, which tells
 * sessions of one browser apart; `address`: IP address, "" when it is not known.
 */
export type SessionTexts = {
  id: string;
  name: string;
  isPhone: boolean;
  signedIn: string;
  applications: readonly string[];
  since: string;
  lastUsed: string;
  address: string;
};

export type SessionsPage = PageView<
  OwnListState,
  {
    /** The session that opened the settings; null when an administrator's link opened them. */
    own: SessionTexts | null;
    others: readonly SessionTexts[];
    devices: readonly DeviceTexts[];
  }
>;

/** Loads the user's sessions, with the error of a rejected form. */
export async function loadSessionsPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<SessionsPage> {
  const texts = await timeTexts(context, request);
  const sessions = await listOwnSessions(context, settings.access);
  const own = sessions.find(({ isThis }) => isThis);
  return {
    status: htmlStatus(error),
    title: pageTitle(texts.t, texts.t("manageSessions.title"), error !== undefined),
    state: {
      ...(await settingsState(context, settings)),
      ...(error ? { error } : {}),
      ...stateFromUrl(request, "status"),
    },
    own: own ? sessionTexts(own, texts) : null,
    others: sessions.filter(({ isThis }) => !isThis).map((session) => sessionTexts(session, texts)),
    devices: await loadRememberedDevices(context, settings, texts),
  };
}

function sessionTexts(session: OwnSession, texts: TimeTexts): SessionTexts {
  const { id, applications, since, lastUsedAt, browser, address } = session;
  return {
    id,
    name: browserText(browser, texts),
    isPhone: isPhone(browser),
    signedIn: distinctTimeText(since, texts),
    applications,
    since: whenText(since, texts),
    lastUsed: whenText(lastUsedAt, texts),
    address,
  };
}
