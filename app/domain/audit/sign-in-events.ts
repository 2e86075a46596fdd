import type { EventDefinition } from "./event-definition.ts";

/** Events of sign-ins, second factors, sign-outs, consents and tokens. */
export const SIGN_IN_EVENTS = {
  "sign-in.succeeded": {
    stored: true,
    activity: "manageActivity.event.signedIn",
    kinds: ["sign-ins"],
    metrics: { signIn: "succeeded" },
    restore: null,
  },
  "sign-in.second-factor-required": {
    stored: true,
    activity: "manageActivity.event.secondFactorAsked",
    kinds: ["sign-ins"],
    metrics: { signIn: "second_factor_required" },
    restore: null,
  },
  "sign-in.refused": {
    stored: true,
    activity: "manageActivity.event.signInRefused",
    kinds: ["sign-ins", "failures"],
    metrics: { signIn: "refused" },
    restore: null,
  },
  // Log only: a throttled client must not be able to fill the disk.
  "sign-in.throttled": {
    stored: false,
    activity: null,
    kinds: [],
    metrics: { signIn: "throttled", lockout: "sign_in" },
    restore: null,
  },
  "sign-in.alarm": { stored: true, activity: null, kinds: [], metrics: null, restore: null },
  "factor.added": {
    stored: true,
    activity: "manageActivity.event.factorAdded",
    kinds: ["changes"],
    metrics: { secondFactor: "added" },
    restore: { user: "factor added" },
  },
  "factor.removed": {
    stored: true,
    activity: "manageActivity.event.factorRemoved",
    kinds: ["changes"],
    metrics: { secondFactor: "removed" },
    restore: { user: "factor removed" },
  },
  // Log only: the sign-in that follows is stored, with its factors.
  "factor.accepted": { stored: false, activity: null, kinds: [], metrics: { secondFactor: "accepted" }, restore: null },
  "factor.refused": {
    stored: true,
    activity: "manageActivity.event.factorRefused",
    kinds: ["sign-ins", "failures"],
    metrics: { secondFactor: "refused" },
    restore: null,
  },
  // Log only: as sign-in.throttled.
  "factor.throttled": {
    stored: false,
    activity: null,
    kinds: [],
    metrics: { secondFactor: "throttled", lockout: "second_factor" },
    restore: null,
  },
  "recovery-codes.made": {
    stored: true,
    activity: "manageActivity.event.codesMade",
    kinds: ["changes"],
    metrics: null,
    restore: { user: "recovery codes used" },
  },
  "recovery-code.used": {
    stored: true,
    activity: "manageActivity.event.codeUsed",
    kinds: ["changes"],
    metrics: { secondFactor: "accepted" },
    restore: { user: "recovery codes used" },
  },
  "security-key.flagged": {
    stored: true,
    activity: "manageActivity.event.keyFlagged",
    kinds: ["failures"],
    metrics: null,
    restore: null,
  },
  "security-key.backup-changed": { stored: true, activity: null, kinds: [], metrics: null, restore: null },
  "device.remembered": {
    stored: true,
    activity: "manageActivity.event.deviceRemembered",
    kinds: ["changes"],
    metrics: null,
    restore: null,
  },
  "device.used": { stored: true, activity: "manageActivity.event.deviceUsed", kinds: [], metrics: null, restore: null },
  "device.forgotten": {
    stored: true,
    activity: "manageActivity.event.deviceForgotten",
    kinds: ["changes"],
    metrics: null,
    restore: null,
  },
  "sign-out": {
    stored: true,
    activity: "manageActivity.event.signedOut",
    kinds: ["ended-sessions"],
    metrics: null,
    restore: null,
  },
  // Log only: one per session and client.
  "backchannel-logout.sent": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  // Log only: the last attempt is stored.
  "backchannel-logout.postponed": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  "backchannel-logout.failed": { stored: true, activity: null, kinds: [], metrics: null, restore: null },
  "consent.granted": {
    stored: true,
    activity: "manageActivity.event.consentGranted",
    kinds: ["changes"],
    metrics: null,
    restore: null,
  },
  "consent.refused": {
    stored: true,
    activity: "manageActivity.event.consentRefused",
    kinds: [],
    metrics: null,
    restore: null,
  },
  // At most one row per client and reason in an hour (app/oidc/record-refusals.server.ts): strangers can cause them.
  "client.refused": { stored: true, activity: null, kinds: [], metrics: null, restore: null },
} as const satisfies Record<string, EventDefinition>;
