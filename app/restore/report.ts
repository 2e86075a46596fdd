import { z } from "zod";

const person = z.object({ id: z.string(), username: z.string() });

const concernedSchema = z.object({
  /** The last thing that the older database knows of. */
  snapshotAt: z.coerce.date().nullable(),
  /** What happened since, by the audit file: so many events. */
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
  /** Groups whose rules were changed since, as the audit trail words it. */
  groups: z.array(z.string()),
  keysChanged: z.boolean(),
});

/** Who is concerned by an older database, and by what. Names are user names; accounts that are gone may be ids. */
export type Concerned = z.output<typeof concernedSchema>;

/** What was done when an older database came into service. */
export const restoreReportSchema = concernedSchema.extend({
  at: z.coerce.date(),
  /** By what it was recognised (standing.server.ts). */
  sign: z.string(),
  /** The one that is valid from now on. */
  epoch: z.int(),
  /** The issuer that the database was in service for, when it is another one now. */
  formerIssuer: z.string().nullable(),
});

export type RestoreReport = z.output<typeof restoreReportSchema>;

/** How many people have to do something, or somebody for them. */
export function concernedIn(report: Concerned): number {
  const { blocked, mustSetPassword, needRecoveryCodes, disconnected } = report;
  return new Set([...blocked, ...mustSetPassword, ...needRecoveryCodes, ...disconnected].map(({ id }) => id)).size;
}
