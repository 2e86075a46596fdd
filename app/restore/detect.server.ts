import { z } from "zod";
import { readAuditTail } from "#app/db/files/audit-file.server.ts";
import { readEpochMark, writeEpochMark } from "#app/db/files/epoch-file.server.ts";
import { findAuditHash } from "#app/db/repositories/audit-events.server.ts";
import { findInstance, insertInstance, type NewInstance } from "#app/db/repositories/instance.server.ts";
import { isCopy } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent, Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * By what an older database gives itself away: it says that it is a copy; nobody has been in service in this place; its
 * epoch is another one than the file beside it says; the audit file beside it knows events that it does not know.
 */
export const RETURN_SIGNS = ["copy", "no mark", "other epoch", "behind"] as const;
export type ReturnSign = (typeof RETURN_SIGNS)[number];

/** Whether a database is the one that was in service here. `unfinished`: a fence was raised, and not reported yet. */
export type Standing = { kind: "known" } | { kind: "unfinished" } | { kind: "returned"; sign: ReturnSign };

/**
 * Recognises a SQLite database that is not the one which was in service last: restored by the command, copied into its
 * place by hand, or brought from elsewhere. Reads three small things; every start and every command asks.
 */
export async function detectRestoredDatabase(store: Store, file: string, instance: Instance): Promise<Standing> {
  const mark = readEpochMark(file);
  if (mark === null) return { kind: "returned", sign: "no mark" };
  if (await isCopy(store)) return { kind: "returned", sign: "copy" };
  if (mark.epoch !== instance.epoch) return { kind: "returned", sign: "other epoch" };
  // This epoch is new, so this is the database that was just fenced; the audit file does not know it yet.
  if (mark.raising) return { kind: "unfinished" };
  const last = readAuditTail(file).at(-1);
  const isBehind = last !== undefined && !(await knows(store, last));
  return isBehind ? { kind: "returned", sign: "behind" } : { kind: "known" };
}

/** Whether the database has, or had until its time was over, this event. */
async function knows(store: Store, { sequence, hash }: AuditEvent): Promise<boolean> {
  const known = await findAuditHash(store, sequence);
  if (known !== null) return known === hash;
  const [row] = await store.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit_events'");
  return row !== undefined && z.object({ seq: z.int() }).parse(row).seq >= sequence;
}

/**
 * The instance's row of a SQLite database, which the first start makes together with the mark beside it: an epoch that
 * was never used in this place.
 */
export async function ensureInstanceBeside(store: Store, file: string, facts: NewInstance): Promise<Instance> {
  const found = await findInstance(store);
  if (found) return found;
  // The transaction keeps every other process out until both are there.
  return store.tx(async (tx) => {
    const other = await findInstance(tx);
    if (other) return other;
    const epoch = (readEpochMark(file)?.epoch ?? 0) + 1;
    writeEpochMark(file, { epoch, raising: false });
    return insertInstance(tx, { ...facts, epoch });
  });
}
