import type { ParseKeys, TFunction } from "i18next";

/** What people are told of an event of the audit trail. */
const EVENTS: Readonly<Record<string, ParseKeys>> = {
  "sign-in.succeeded": "manageActivity.event.signedIn",
  "sign-in.second-factor-required": "manageActivity.event.secondFactorAsked",
  "sign-in.refused": "manageActivity.event.signInRefused",
  "factor.added": "manageActivity.event.factorAdded",
  "factor.removed": "manageActivity.event.factorRemoved",
  "factor.refused": "manageActivity.event.factorRefused",
  "recovery-codes.made": "manageActivity.event.codesMade",
  "recovery-code.used": "manageActivity.event.codeUsed",
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

const FACTORS: Readonly<Record<string, ParseKeys>> = {
  totp: "manageActivity.factor.totp",
  "security key": "manageActivity.factor.securityKey",
  "recovery code": "manageActivity.factor.recoveryCode",
};

/** What happened, in words; an event of a later version has none of its own yet. */
export function eventText(t: TFunction, type: string): string {
  return String(t(EVENTS[type] ?? "manageActivity.event.other"));
}

/** Which factor it was about, in words; null where it was about none. */
export function factorText(t: TFunction, type: string, reason: string | null): string | null {
  const key = type.startsWith("factor.") && reason !== null ? FACTORS[reason] : undefined;
  return key === undefined ? null : String(t(key));
}
