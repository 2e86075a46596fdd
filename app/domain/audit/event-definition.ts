/** Kinds of events that a user can limit the recent activity to. */
export const ACTIVITY_KINDS = ["sign-ins", "failures", "changes", "ended-sessions"] as const;

/** A kind of events. */
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Kinds of changes to a user since the backup; `app/restore/plan.server.ts` has what a restore does about each. */
export type UserChange =
  | "blocked"
  | "password changed"
  | "factor added"
  | "factor removed"
  | "recovery codes used"
  | "provider disconnected"
  | "provider connected"
  | "renamed"
  | "changed"
  | "joined group"
  | "left group"
  | "role granted"
  | "role revoked"
  | "e-mail change undone"
  | "removed";

/** Change that a restore of an older backup has to repeat or to report, if the event's outcome is "ok". */
export type RestoreEffect =
  | { user: UserChange | "added" | "unblocked" }
  | { client: "added" | "changed" | "secret rotated" | "removed" }
  | "group changed"
  | "keys changed";

/** Counters of metrics, beside that of all events, and their label; counted in `app/metrics/events.server.ts`. */
type EventMetrics = {
  signIn?: "succeeded" | "second_factor_required" | "refused" | "throttled";
  secondFactor?: "accepted" | "refused" | "throttled" | "added" | "removed";
  passwordReset?: "requested" | "refused" | "done";
  factorReset?: "requested" | "refused" | "stopped" | "done";
  lockout?: "sign_in" | "second_factor" | "settings";
  providerRefusal?: true;
};

/** All that depends on the type of an event. Every field is required, so that a new event decides about each. */
export type EventDefinition = {
  /** True for a row in the hash-chained audit trail; false for a log line only. */
  stored: boolean;
  /** Key of the text in the recent activity; null for the text of other events. */
  activity: string | null;
  kinds: readonly ActivityKind[];
  metrics: EventMetrics | null;
  restore: RestoreEffect | null;
};
