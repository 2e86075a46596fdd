import type { EventDefinition } from "./event-definition.ts";

/** Events of mailed links, settings, provider accounts and registration. */
export const ACCOUNT_EVENTS = {
  "password-reset.requested": {
    stored: true,
    activity: "manageActivity.event.resetRequested",
    kinds: ["changes"],
    metrics: { passwordReset: "requested" },
    restore: null,
  },
  // Log only: a request needs no sign-in and can name any user.
  "password-reset.refused": {
    stored: false,
    activity: null,
    kinds: [],
    metrics: { passwordReset: "refused" },
    restore: null,
  },
  "password-reset.done": {
    stored: true,
    activity: "manageActivity.event.resetDone",
    kinds: ["changes"],
    metrics: { passwordReset: "done" },
    restore: { user: "password changed" },
  },
  "password-reset.seen": {
    stored: true,
    activity: "manageActivity.event.resetSeen",
    kinds: [],
    metrics: null,
    restore: null,
  },
  "factor-reset.requested": {
    stored: true,
    activity: "manageActivity.event.factorResetRequested",
    kinds: ["changes"],
    metrics: { factorReset: "requested" },
    restore: null,
  },
  // Log only: after the password, the request can be repeated without limit.
  "factor-reset.refused": {
    stored: false,
    activity: null,
    kinds: [],
    metrics: { factorReset: "refused" },
    restore: null,
  },
  "factor-reset.stopped": {
    stored: true,
    activity: "manageActivity.event.factorResetStopped",
    kinds: ["changes"],
    metrics: { factorReset: "stopped" },
    restore: null,
  },
  "factor-reset.done": {
    stored: true,
    activity: "manageActivity.event.factorResetDone",
    kinds: ["changes"],
    metrics: { factorReset: "done" },
    restore: { user: "factor removed" },
  },
  "settings.link-made": { stored: true, activity: null, kinds: [], metrics: null, restore: null },
  "settings.opened": {
    stored: true,
    activity: "manageActivity.event.settingsOpened",
    kinds: [],
    metrics: null,
    restore: null,
  },
  // Log only: an old link can be opened without limit.
  "settings.refused": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  // Log only: as sign-in.throttled.
  "settings.throttled": { stored: false, activity: null, kinds: [], metrics: { lockout: "settings" }, restore: null },
  "reauthentication.succeeded": {
    stored: true,
    activity: "manageActivity.event.reauthenticated",
    kinds: ["sign-ins"],
    metrics: null,
    restore: null,
  },
  "reauthentication.refused": {
    stored: true,
    activity: "manageActivity.event.reauthenticationRefused",
    kinds: ["sign-ins", "failures"],
    metrics: null,
    restore: null,
  },
  "password.changed": {
    stored: true,
    activity: "manageActivity.event.passwordChanged",
    kinds: ["changes"],
    metrics: null,
    restore: { user: "password changed" },
  },
  "password.refused": {
    stored: true,
    activity: "manageActivity.event.passwordRefused",
    kinds: ["failures"],
    metrics: null,
    restore: null,
  },
  "username.changed": {
    stored: true,
    activity: "manageActivity.event.usernameChanged",
    kinds: ["changes"],
    metrics: null,
    restore: { user: "renamed" },
  },
  "session.ended": {
    stored: true,
    activity: "manageActivity.event.sessionEnded",
    kinds: ["ended-sessions"],
    metrics: null,
    restore: null,
  },
  "consent.withdrawn": {
    stored: true,
    activity: "manageActivity.event.consentWithdrawn",
    kinds: ["changes"],
    metrics: null,
    restore: null,
  },
  "provider.connected": {
    stored: true,
    activity: "manageActivity.event.providerConnected",
    kinds: ["changes"],
    metrics: null,
    restore: { user: "provider connected" },
  },
  "provider.disconnected": {
    stored: true,
    activity: "manageActivity.event.providerDisconnected",
    kinds: ["changes"],
    metrics: null,
    restore: { user: "provider disconnected" },
  },
  // Log only: an external sign-in can be started without limit.
  "provider.refused": { stored: false, activity: null, kinds: [], metrics: { providerRefusal: true }, restore: null },
  // Log only: a registration can be started from any sign-in form, and the client can repeat its calls.
  "registration.begun": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  "registration.redeemed": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  "registration.refused": { stored: false, activity: null, kinds: [], metrics: null, restore: null },
  "registration.completed": {
    stored: true,
    activity: "manageActivity.event.registered",
    kinds: [],
    metrics: null,
    restore: { user: "added" },
  },
} as const satisfies Record<string, EventDefinition>;
