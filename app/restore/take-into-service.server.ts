import type { Config } from "#app/config/config.ts";
import { ensureInstance } from "#app/db/repositories/instance.server.ts";
import type { Instance } from "#app/db/schema.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { detectRestoredDatabase, ensureInstanceAndEpochFile } from "./detect-restored.server.ts";
import type { ReconcileDeps } from "./reconcile.server.ts";

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
  const fingerprints = secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
  const [keyFingerprint = ""] = fingerprints;
  const newInstance = { keyFingerprint, issuer, rpId: new URL(issuer).hostname, createdAt: clock.now() };
  if (target.dialect !== "sqlite") return requireKey(await ensureInstance(store, newInstance), fingerprints).epoch;
  const { file } = target;
  const instance = requireKey(await ensureInstanceAndEpochFile(store, file, newInstance), fingerprints);
  const detected = await detectRestoredDatabase(store, file, instance);
  if (detected.kind === "known") return instance.epoch;
  // Imported on demand: few starts need it.
  const { finishReconciliation, findRestoreReport, reconcileRestoredDatabase } = await import("./reconcile.server.ts");
  if (detected.kind === "returned") {
    const input = { file, instance, sign: detected.sign, isAlone, acceptIssuer };
    return (await reconcileRestoredDatabase(database, input)).epoch;
  }
  const report = await findRestoreReport(store);
  if (report !== null) await finishReconciliation(database, file, report);
  return instance.epoch;
}

function requireKey(instance: Instance, fingerprints: readonly string[]): Instance {
  if (fingerprints.includes(instance.keyFingerprint)) return instance;
  const detail = `the database was created with key ${instance.keyFingerprint}, which SECRET_KEYS does not contain`;
  throw new DomainError("wrong secret key", { detail });
}
