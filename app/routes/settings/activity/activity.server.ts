import type { ParseKeys, TFunction } from "i18next";
import { type Activity, listOwnActivity } from "#app/domain/audit/activity.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { momentText, type TimeTexts } from "#app/i18n/time-texts.server.ts";
import { browserText, settingsState, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { SettingsState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/**
 * An event of the audit trail as texts. `factor`: the second factor that it is about, null for other events; `place`:
 * browser and IP address, "" when neither is known.
 */
export type EventTexts = { what: string; factor: string | null; when: string; place: string };

export type ActivityPage = PageView<
  SettingsState,
  {
    events: readonly EventTexts[];
    /** True if these are the newest events. */
    isFirst: boolean;
    /** `before` of the next page; null on the last page. */
    next: number | null;
  }
>;

/** Loads one page of the user's events. `before`: `next` of the previous page; null for the newest events. */
export async function loadActivityPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { before }: { before: number | null },
): Promise<ActivityPage> {
  const texts = await timeTexts(context, request);
  const { events, next } = await listOwnActivity(context, settings.access, { before });
  return {
    status: 200,
    title: pageTitle(texts.t, texts.t("manageActivity.title")),
    state: await settingsState(context, settings),
    events: events.map((event) => eventTexts(event, texts)),
    isFirst: before === null,
    next,
  };
}

function eventTexts({ at, type, reason, browser, address }: Activity, texts: TimeTexts): EventTexts {
  const { t } = texts;
  const hasBrowser = browser.name !== null || browser.system !== null;
  return {
    // An event type of a later version has no text in this one.
    what: t(EVENTS[type] ?? "manageActivity.event.other"),
    factor: factorText(t, type, reason),
    when: momentText(at, texts),
    place: [hasBrowser ? browserText(browser, texts) : "", address ?? ""].filter((part) => part !== "").join(" · "),
  };
}

/** Returns the name of the second factor that an event is about; null for other events. */
function factorText(t: TFunction, type: string, reason: string | null): string | null {
  const key = type.startsWith("factor.") && reason !== null ? FACTORS[reason] : undefined;
  return key === undefined ? null : t(key);
}

/** Text keys by type of event in the audit trail. */
const EVENTS: Readonly<Record<string, ParseKeys>> = {
  "sign-in.succeeded": "manageActivity.event.signedIn",
  "sign-in.second-factor-required": "manageActivity.event.secondFactorAsked",
  "sign-in.refused": "manageActivity.event.signInRefused",
  "factor.added": "manageActivity.event.factorAdded",
  "factor.removed": "manageActivity.event.factorRemoved",
  "factor.refused": "manageActivity.event.factorRefused",
  "recovery-codes.made": "manageActivity.event.codesMade",
  "recovery-code.used": "manageActivity.event.codeUsed",
  "device.remembered": "manageActivity.event.deviceRemembered",
  "device.used": "manageActivity.event.deviceUsed",
  "device.forgotten": "manageActivity.event.deviceForgotten",
  "security-key.flagged": "manageActivity.event.keyFlagged",
  "sign-out": "manageActivity.event.signedOut",
  "consent.granted": "manageActivity.event.consentGranted",
  "consent.refused": "manageActivity.event.consentRefused",
  "consent.withdrawn": "manageActivity.event.consentWithdrawn",
  "token.revoked": "manageActivity.event.tokenRevoked",
  "password-reset.requested": "manageActivity.event.resetRequested",
  "password-reset.done": "manageActivity.event.resetDone",
  "password-reset.seen": "manageActivity.event.resetSeen",
  "factor-reset.requested": "manageActivity.event.factorResetRequested",
  "factor-reset.stopped": "manageActivity.event.factorResetStopped",
  "factor-reset.done": "manageActivity.event.factorResetDone",
  "settings.opened": "manageActivity.event.settingsOpened",
  "password.changed": "manageActivity.event.passwordChanged",
  "password.refused": "manageActivity.event.passwordRefused",
  "username.changed": "manageActivity.event.usernameChanged",
  "session.ended": "manageActivity.event.sessionEnded",
  "provider.connected": "manageActivity.event.providerConnected",
  "provider.disconnected": "manageActivity.event.providerDisconnected",
  "registration.completed": "manageActivity.event.registered",
  "user.added": "manageActivity.event.added",
  "user.imported": "manageActivity.event.added",
  "user.changed": "manageActivity.event.changedByAdministrator",
  "user.password-set": "manageActivity.event.changedByAdministrator",
  "user.unlocked": "manageActivity.event.changedByAdministrator",
  "user.blocked": "manageActivity.event.blocked",
  "user.unblocked": "manageActivity.event.unblocked",
  "user.sessions-ended": "manageActivity.event.endedByAdministrator",
};

/** Text keys by the reason that events about a second factor record. */
const FACTORS: Readonly<Record<string, ParseKeys>> = {
  totp: "manageActivity.factor.totp",
  "security key": "manageActivity.factor.securityKey",
  "recovery code": "manageActivity.factor.recoveryCode",
};
