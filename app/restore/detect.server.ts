import { z } from "zod";
import { readAuditTail } from "#app/db/files/audit-file.server.ts";
import { readEpochMark, writeEpochMark } from "#app/db/files/epoch-file.server.ts";
import { findAuditHash } from "#app/db/repositories/audit-events.server.ts";
import { findInstance, insertInstance, type NewInstance } from "#app/db/repositories/instance.server.ts";
import { isCopy } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent, Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Signs of a restored database: it is marked as a copy; the epoch file is missing; the epoch file has another epoch;
 * the audit file contains an event that the database lacks.
 */
export const RETURN_SIGNS = ["copy", "no mark", "other epoch", "behind"] as const;
export type ReturnSign = (typeof RETURN_SIGNS)[number];

/** Result of the detection. `unfinished`: the reconciliation is committed, but `finishReconciliation` did not end. */
export type Standing = { kind: "known" } | { kind: "unfinished" } | { kind: "returned"; sign: ReturnSign };

/**
 * Detects a SQLite database that is not the last one in service here: restored by the command, copied by hand or
 * brought from elsewhere. Runs at every start and in every command.
 */
export async function detectRestoredDatabase(store: Store, file: string, instance: Instance): Promise<Standing> {
  const mark = readEpochMark(file);
  if (mark === null) return { kind: "returned", sign: "no mark" };
  if (await isCopy(store)) return { kind: "returned", sign: "copy" };
  if (mark.epoch !== instance.epoch) return { kind: "returned", sign: "other epoch" };
  // The reconciliation of this database is committed; its event is not in the audit file yet.
  if (mark.raising) return { kind: "unfinished" };
  const last = readAuditTail(file).at(-1);
  const isBehind = last !== undefined && !(await knows(store, last));
  return isBehind ? { kind: "returned", sign: "behind" } : { kind: "known" };
}

/** Returns true if the database has this event, or had it until it was deleted for its age. */
async function knows(store: Store, { sequence, hash }: AuditEvent): Promise<boolean> {
  const known = await findAuditHash(store, sequence);
  if (known !== null) return known === hash;
  const [row] = await store.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit_events'");
  return row !== undefined && z.object({ seq: z.int() }).parse(row).seq >= sequence;
}

/**
 * Returns the instance row of a SQLite database. The first start creates it together with the epoch file, with an epoch
 * that was never used for this file.
 */
export async function ensureInstanceBeside(store: Store, file: string, facts: NewInstance): Promise<Instance> {
  const found = await findInstance(store);
  if (found) return found;
  // The transaction excludes all other processes until both exist.
  return store.tx(async (tx) => {
    const other = await findInstance(tx);
    if (other) return other;
    const epoch = (readEpochMark(file)?.epoch ?? 0) + 1;
    writeEpochMark(file, { epoch, raising: false });
    return insertInstance(tx, { ...facts, epoch });
  });
}
