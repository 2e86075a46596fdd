import type { Config } from "#app/config/config.ts";
import { closeCopy, type Manifest } from "#app/db/files/backup-copy.server.ts";
import { type DatabaseSummary, readLiveSummary } from "#app/db/files/inspect.server.ts";
import { describeSchema, migrateStore } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import type { StagedBackup } from "./backup-file.server.ts";
import { affectedBy, planReconciliation } from "./plan.server.ts";
import type { AffectedRecords } from "./report.ts";

/** Reasons why an intact file cannot be restored. */
export type CheckProblemCode = "newer schema" | "wrong key" | "other issuer" | "never in service";

/** A problem that prevents a restore; the message is written for the administrator. */
export type CheckProblem = { code: CheckProblemCode; message: string };

/** Consequences of restoring a file. */
export type RestoreCheck = {
  manifest: Manifest | null;
  facts: DatabaseSummary;
  problems: CheckProblem[];
  /** Migrations that would be applied. */
  migrations: string[];
  /** Row counts that differ between the live database and the file. `live` is null if that one is unreadable. */
  counts: { table: string; live: number | null; file: number }[];
  /** Affected users and clients; null if the file cannot be restored. */
  concerned: AffectedRecords | null;
};

type CheckInput = { config: Config; acceptIssuer: boolean; clock: Clock };

/** Returns the consequences of a restore and the problems that prevent it. May migrate the candidate. */
export async function checkBackup(
  { path, facts, manifest }: StagedBackup,
  { config, acceptIssuer }: CheckInput,
): Promise<RestoreCheck> {
  if (config.database.dialect !== "sqlite") throw new Error("only a SQLite file can be restored");
  const { file } = config.database;
  const { pending, unknown, known: migrationsOfProgram } = describeSchema("sqlite", facts.migrations);
  const problems = [...newerSchema(unknown, migrationsOfProgram), ...problemsOf(facts, { config, acceptIssuer })];
  const check = { manifest, facts, problems, migrations: pending, counts: compare(readLiveSummary(file), facts) };
  if (problems.length > 0) return { ...check, concerned: null };
  const store = await openStore({ dialect: "sqlite", file: path });
  try {
    await migrateStore(store);
    return { ...check, concerned: affectedBy(await planReconciliation(store, file)) };
  } finally {
    await store.close();
    closeCopy(path);
  }
}

function newerSchema(unknown: readonly string[], migrationsOfProgram: readonly string[]): CheckProblem[] {
  if (unknown.length === 0) return [];
  const message =
    `The file was written by a newer version of Gatehouse (unknown migrations: ${unknown.join(", ")}). ` +
    `This version has ${migrationsOfProgram.length} migrations, up to ${migrationsOfProgram.at(-1)}.`;
  return [{ code: "newer schema", message }];
}

function problemsOf(
  { instance }: DatabaseSummary,
  { config: { secretKeys, issuer }, acceptIssuer }: Pick<CheckInput, "config" | "acceptIssuer">,
): CheckProblem[] {
  if (instance === null) {
    return [{ code: "never in service", message: "The file contains no data: no server has used it." }];
  }
  const problems: CheckProblem[] = [];
  const fingerprints = secretKeys.map((key) => createSecrets({ secretKeys: [key], epoch: 0 }).fingerprint);
  if (!fingerprints.includes(instance.keyFingerprint)) {
    const configured = fingerprints.join(", ");
    const message = `The file was encrypted with key ${instance.keyFingerprint}; SECRET_KEYS contains ${configured}.`;
    problems.push({ code: "wrong key", message });
  }
  if (instance.issuer !== issuer && !acceptIssuer) {
    const message = `The file belongs to issuer ${instance.issuer}, but ISSUER is ${issuer}.`;
    problems.push({ code: "other issuer", message });
  }
  return problems;
}

function compare(live: DatabaseSummary | null, file: DatabaseSummary): RestoreCheck["counts"] {
  return Object.entries(file.counts)
    .map(([table, count]) => ({ table, live: live?.counts[table] ?? null, file: count }))
    .filter((row) => row.live !== row.file);
}
