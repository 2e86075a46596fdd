import { z } from "zod";

const userSchema = z.object({ id: z.string(), username: z.string() });

const affectedSchema = z.object({
  /** Time of the last event in the restored database. */
  snapshotAt: z.coerce.date().nullable(),
  /** Number of later events in the audit file. */
  events: z.int(),
  blocked: z.array(userSchema.extend({ why: z.array(z.string()) })),
  mustSetPassword: z.array(userSchema),
  needRecoveryCodes: z.array(userSchema),
  disconnected: z.array(userSchema.extend({ providers: z.array(z.string()) })),
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
