import { z } from "zod";

const userSchema = z.object({ id: z.string(), username: z.string() });

const affectedSchema = z.object({
  /** Time of the last event in the restored database. */
  snapshotAt: z.coerce.date().nullable(),
  /** False if changes may have been made that no audit file here contains. */
  isComplete: z.boolean().default(true),
  /** Number of later events that are known; null if no audit file contains any. */
  events: z.int().nullable(),
  /** If not complete: time of the last known event. */
  knownUntil: z.coerce.date().nullable().default(null),
  /** If not complete: users who were changed in the week before the backup, at most 100, and the number of others. */
  recentlyChanged: z.array(userSchema.extend({ what: z.array(z.string()) })).default([]),
  moreRecentlyChanged: z.int().default(0),
  blocked: z.array(userSchema.extend({ why: z.array(z.string()) })),
  mustSetPassword: z.array(userSchema),
  needRecoveryCodes: z.array(userSchema),
  disconnected: z.array(userSchema.extend({ providers: z.array(z.string()) })),
  /** Memberships of further groups that ended since the backup, by the names of the groups. */
  leftGroups: z.array(userSchema.extend({ groups: z.array(z.string()) })).default([]),
  clientsRemoved: z.array(z.string()),
  clientsWithoutSecret: z.array(z.string()),
  lostUsers: z.array(z.string()),
  lostClients: z.array(z.string()),
  lostChanges: z.array(userSchema.extend({ what: z.array(z.string()) })),
  changedClients: z.array(z.string()),
  /** `detail.reason` of each change to a group since the backup. */
  groups: z.array(z.string()),
  keysChanged: z.boolean(),
});

/** Users, clients and groups that a restore affects. Users by name; lost users without a recorded name by id. */
export type AffectedRecords = z.output<typeof affectedSchema>;

/** Length of the time before a backup whose changes are reported if later ones are unknown, in days. */
export const RECENT_DAYS = 7;

/** Report of a reconciliation. */
export const restoreReportSchema = affectedSchema.extend({
  at: z.coerce.date(),
  /** Sign of the restored database (see `RestoreSign`). */
  sign: z.string(),
  /** The new restore generation. */
  epoch: z.int(),
  /** The former issuer, if it differs from the configured one. */
  formerIssuer: z.string().nullable(),
});

/** Report of a reconciliation, validated. */
export type RestoreReport = z.output<typeof restoreReportSchema>;

/** Returns the number of users who need to act, or an administrator for them. */
export function countAffectedUsers(report: AffectedRecords): number {
  const { blocked, mustSetPassword, needRecoveryCodes, disconnected } = report;
  return new Set([...blocked, ...mustSetPassword, ...needRecoveryCodes, ...disconnected].map(({ id }) => id)).size;
}

/**
 * Signs of a restored database: it is marked as a copy; the epoch file is missing; the epoch file has another epoch;
 * the audit file contains an event that the database lacks.
 */
export type RestoreSign = "copy" | "no mark" | "other epoch" | "behind";
