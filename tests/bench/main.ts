// Benchmark: measures the built product and references in the same run: `npm run bench -- --quick`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#tests/support/free-port.ts";
import { build } from "../../scripts/build.mjs";
import type { Finding } from "./bench.ts";
import { comparison, whyNotComparable } from "./compare.ts";
import { costOf, type Gatehouse, isCostlyEnough, setUpGatehouse } from "./gatehouse.ts";
import { createHttpClient } from "./http-client.ts";
import { stopAll } from "./measured-process.ts";
import { measureProcesses } from "./measures/processes.ts";
import { measureRows } from "./measures/rows.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { createPostgresDatabase, type PostgresDatabase } from "./postgres-database.ts";
import { profileSignIns } from "./profile.ts";
import { buildReferences } from "./references.ts";
import { circumstances, currentLoad, printReport, writeReport } from "./report.ts";
import { logProgress, measureAll, measureEndpoints, measurePasskeys, measureRates, type Setting } from "./run.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2));
  if (options === null) return 2;
  const reason =
    options.earlier && whyNotComparable(options.earlier, circumstances({ quick: options.quick, hash: "" }));
  if (reason) {
    console.error(reason);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const http = createHttpClient(options.clients);
  let database: PostgresDatabase | null = null;
  let cleaning: Promise<void> | null = null;
  // Called by the signal handler and by `finally`; the second call waits for the first.
  const cleanUp = () => {
    cleaning ??= stopAll().then(async () => {
      await database?.stop();
      http.close();
      rmSync(folder, { recursive: true, force: true });
    });
    return cleaning;
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  }
  try {
    logProgress("building");
    await build();
    await buildReferences();
    logProgress("setting up an installation");
    if (options.only === "processes") database = await createPostgresDatabase();
    const databaseUrl = database?.url ?? `sqlite:${join(folder, "gatehouse.sqlite")}`;
    const gatehouse = await setUpGatehouse(databaseUrl, await freePort());
    if (!isCostlyEnough(costOf(gatehouse.storedHash))) return refuse(gatehouse);
    const setting = { options, folder, gatehouse, http };
    await (options.profile ? profileSignIns(setting) : report(setting));
    return 0;
  } finally {
    await cleanUp();
  }
}

function parseArguments(args: readonly string[]): Options | null {
  try {
    return readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return null;
  }
}

/** Refuses to measure with a password hash that is too cheap. */
function refuse({ storedHash }: Gatehouse): number {
  const [, algorithm, , parameters] = storedHash.split("$");
  console.error(`Not measured: a password is stored with ${algorithm} ${parameters}, not argon2id m=19456,t=2,p=1.`);
  return 1;
}

async function report(setting: Setting): Promise<void> {
  const { options, gatehouse } = setting;
  const [, algorithm, , parameters] = gatehouse.storedHash.split("$");
  const before = circumstances({ quick: options.quick, hash: `${algorithm} ${parameters}` });
  const findings = await measurementOf(options)(setting);
  const where = { ...before, loadAfter: currentLoad() };
  printReport(where, findings);
  if (options.earlier) console.log(`\n${comparison(options.earlier.findings, findings)}`);
  writeReport(options.jsonFile, where, findings);
}

function measurementOf({ only }: Options): (setting: Setting) => Promise<Finding[]> {
  if (only === "endpoints") return measureEndpoints;
  if (only === "passkeys") return measurePasskeys;
  if (only === "rows") return measureRows;
  if (only === "processes") return measureProcesses;
  return only === "rates" ? measureRates : measureAll;
}
