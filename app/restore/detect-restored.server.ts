import { z } from "zod";
import { readAuditTail } from "#app/db/files/audit-file.server.ts";
import { readEpochFile, writeEpochFile } from "#app/db/files/epoch-file.server.ts";
import { findAuditHash } from "#app/db/repositories/audit-events.server.ts";
import { findInstance, insertInstance, type NewInstance } from "#app/db/repositories/instance.server.ts";
import { isCopy } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent, Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/**
 * Signs of a restored database: it is marked as a copy; the epoch file is missing; the epoch file has another epoch;
 * the audit file contains an event that the database lacks.
 */
export const RESTORE_SIGNS = ["copy", "no mark", "other epoch", "behind"] as const;
/** One of the signs. */
export type RestoreSign = (typeof RESTORE_SIGNS)[number];

/** Result of the detection. `unfinished`: the reconciliation is committed, but `finishReconciliation` did not end. */
export type RestoreDetection = { kind: "known" } | { kind: "unfinished" } | { kind: "returned"; sign: RestoreSign };

/**
 * Detects a SQLite database that is not the last one in service here: restored by the command, copied by hand or
 * brought from elsewhere. Runs at every start and in every command.
 */
export async function detectRestoredDatabase(
  store: Store,
  file: string,
  instance: Instance,
): Promise<RestoreDetection> {
  const epochFile = readEpochFile(file);
  if (epochFile === null) return { kind: "returned", sign: "no mark" };
  if (await isCopy(store)) return { kind: "returned", sign: "copy" };
  if (epochFile.epoch !== instance.epoch) return { kind: "returned", sign: "other epoch" };
  // The reconciliation of this database is committed; its event is not in the audit file yet.
  if (epochFile.raising) return { kind: "unfinished" };
  const last = readAuditTail(file).at(-1);
  const isBehind = last !== undefined && !(await hasEvent(store, last));
  return isBehind ? { kind: "returned", sign: "behind" } : { kind: "known" };
}

/** Returns true if the database has this event, or had it until it was deleted for its age. */
async function hasEvent(store: Store, { sequence, hash }: AuditEvent): Promise<boolean> {
  const storedHash = await findAuditHash(store, sequence);
  if (storedHash !== null) return storedHash === hash;
  const [row] = await store.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit_events'");
  return row !== undefined && z.object({ seq: z.int() }).parse(row).seq >= sequence;
}

/**
 * Returns the instance row of a SQLite database. The first start creates it together with the epoch file, with an epoch
 * that was never used for this file.
 */
export async function ensureInstanceAndEpochFile(
  store: Store,
  file: string,
  newInstance: NewInstance,
): Promise<Instance> {
  const existing = await findInstance(store);
  if (existing) return existing;
  // The transaction excludes all other processes until both exist.
  return store.tx(async (tx) => {
    const concurrent = await findInstance(tx);
    if (concurrent) return concurrent;
    const epoch = (readEpochFile(file)?.epoch ?? 0) + 1;
    writeEpochFile(file, { epoch, raising: false });
    return insertInstance(tx, { ...newInstance, epoch });
  });
}
