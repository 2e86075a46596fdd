import { z } from "zod";

const person = z.object({ id: z.string(), username: z.string() });

const concernedSchema = z.object({
  /** Time of the last event in the restored database. */
  snapshotAt: z.coerce.date().nullable(),
  /** Number of later events in the audit file. */
  events: z.int(),
  blocked: z.array(person.extend({ why: z.array(z.string()) })),
  mustSetPassword: z.array(person),
  needRecoveryCodes: z.array(person),
  disconnected: z.array(person.extend({ providers: z.array(z.string()) })),
  clientsRemoved: z.array(z.string()),
  clientsWithoutSecret: z.array(z.string()),
  lostUsers: z.array(z.string()),
  lostClients: z.array(z.string()),
  lostChanges: z.array(person.extend({ what: z.array(z.string()) })),
  changedClients: z.array(z.string()),
  /** `detail.reason` of each change to a group since the backup. */
  groups: z.array(z.string()),
  keysChanged: z.boolean(),
});

/** Users, clients and groups that a restore affects. Users by name; lost users without a recorded name by id. */
export type Concerned = z.output<typeof concernedSchema>;

/** Report of a reconciliation. */
export const restoreReportSchema = concernedSchema.extend({
  at: z.coerce.date(),
  /** Sign of the restored database (detect.server.ts). */
  sign: z.string(),
  /** The new restore generation. */
  epoch: z.int(),
  /** The former issuer, if it differs from the configured one. */
  formerIssuer: z.string().nullable(),
});

export type RestoreReport = z.output<typeof restoreReportSchema>;

/** Returns the number of users who need to act, or an administrator for them. */
export function concernedIn(report: Concerned): number {
  const { blocked, mustSetPassword, needRecoveryCodes, disconnected } = report;
  return new Set([...blocked, ...mustSetPassword, ...needRecoveryCodes, ...disconnected].map(({ id }) => id)).size;
}
