import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { readAuditTail } from "#app/db/files/audit-file.server.ts";
import { readEpochFile, writeEpochFile } from "#app/db/files/epoch-file.server.ts";
import { findAuditHash } from "#app/db/repositories/audit-events.server.ts";
import {
  ensureInstance,
  findInstance,
  insertInstance,
  type NewInstance,
} from "#app/db/repositories/instance.server.ts";
import { isCopy } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent, Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import type { ReconcileDeps } from "./reconcile.server.ts";
import type { RestoreSign } from "./report.ts";

/** `config` is the whole configuration, for the location of the database and the issuer. */
type TakeIntoServiceDeps = ReconcileDeps & { config: Config };

/** `isAlone`: this process already holds the server lock. `acceptIssuer`: see `ReconcileInput`. */
type TakeIntoServiceOptions = { isAlone?: boolean; acceptIssuer?: boolean };

/**
 * Returns the epoch of an open database, which its first start creates. Reconciles a restored SQLite database first.
 * Throws DomainError "wrong secret key" if none of SECRET_KEYS is the key that the database was created with.
 */
export async function takeIntoService(
  database: TakeIntoServiceDeps,
  { isAlone = false, acceptIssuer = false }: TakeIntoServiceOptions = {},
): Promise<number> {
  const { config, clock, store } = database;
  const { issuer, secretKeys, database: target } = config;
  const fingerprints = fingerprintsOf(secretKeys);
  const [keyFingerprint = ""] = fingerprints;
  const newInstance = { keyFingerprint, issuer, rpId: new URL(issuer).hostname, createdAt: clock.now() };
  if (target.dialect !== "sqlite") return requireKey(await ensureInstance(store, newInstance), fingerprints).epoch;
  const { file } = target;
  const instance = requireKey(await ensureInstanceAndEpochFile(store, file, newInstance), fingerprints);
  const detected = await detectRestoredDatabase(store, file, instance);
  if (detected.kind === "known") return instance.epoch;
  // Imported on demand: few starts need it.
  const { finishReconciliation, findRestoreReport, reconcileRestoredDatabase } = await import("./reconcile.server.ts");
  if (detected.kind === "restored") {
    const input = { file, instance, sign: detected.sign, isAlone, acceptIssuer };
    return (await reconcileRestoredDatabase(database, input)).epoch;
  }
  const report = await findRestoreReport(store);
  if (report !== null) await finishReconciliation(database, file, report);
  return instance.epoch;
}

/**
 * Returns the epoch of a database that is in service here, and changes nothing; null for a restored one, and for one
 * that was never in service. Throws DomainError "wrong secret key" like `takeIntoService`.
 */
export async function findEpochInService({
  config: { secretKeys, database },
  store,
}: Pick<TakeIntoServiceDeps, "config" | "store">): Promise<number | null> {
  const found = await findInstance(store);
  if (!found) return null;
  const instance = requireKey(found, fingerprintsOf(secretKeys));
  if (database.dialect !== "sqlite") return instance.epoch;
  const { kind } = await detectRestoredDatabase(store, database.file, instance);
  return kind === "restored" ? null : instance.epoch;
}

function fingerprintsOf(secretKeys: readonly string[]): string[] {
  return secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
}

function requireKey(instance: Instance, fingerprints: readonly string[]): Instance {
  if (fingerprints.includes(instance.keyFingerprint)) return instance;
  const detail = `the database was created with key ${instance.keyFingerprint}, which SECRET_KEYS does not contain`;
  throw new DomainError("wrong secret key", { detail });
}

/** Result of the detection. `unfinished`: the reconciliation is committed, but `finishReconciliation` did not end. */
type RestoreDetection = { kind: "known" } | { kind: "unfinished" } | { kind: "restored"; sign: RestoreSign };

/**
 * Detects a SQLite database that is not the last one in service here: restored by the command, copied by hand or
 * brought from elsewhere. Runs at every start and in every command.
 */
async function detectRestoredDatabase(store: Store, file: string, instance: Instance): Promise<RestoreDetection> {
  const epochFile = readEpochFile(file);
  if (epochFile === null) return { kind: "restored", sign: "no mark" };
  if (await isCopy(store)) return { kind: "restored", sign: "copy" };
  if (epochFile.epoch !== instance.epoch) return { kind: "restored", sign: "other epoch" };
  // The reconciliation of this database is committed; its event is not in the audit file yet.
  if (epochFile.raising) return { kind: "unfinished" };
  const last = readAuditTail(file).at(-1);
  const isBehind = last !== undefined && !(await hasEvent(store, last));
  return isBehind ? { kind: "restored", sign: "behind" } : { kind: "known" };
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
async function ensureInstanceAndEpochFile(store: Store, file: string, newInstance: NewInstance): Promise<Instance> {
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
