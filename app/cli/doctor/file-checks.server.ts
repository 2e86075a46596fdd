import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "#app/cli/command-line.server.ts";
import type { Config } from "#app/config/config.ts";
import { fileKey, KEYS } from "#app/config/environment.server.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";

/** What is checked before the database is opened, which puts some of it right. */
export type Installed = { config: Config; env: Environment };

const MIB = 1024 * 1024;
const LEAST_FREE_BYTES = 200 * MIB;
const LARGE_WAL_BYTES = 100 * MIB;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** File systems on which locks of SQLite do not hold, by the number that statfs gives (Linux, statfs(2)). */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x65735546, "FUSE"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
]);

/** The files of a SQLite installation: who may read them, where they lie, how much room there is. */
export const FILE_CHECKS: readonly Check<Installed>[] = [
  { name: "file rights", run: ({ config }) => onSqlite(config, checkRights) },
  { name: "folder rights", run: ({ config }) => onSqlite(config, (file) => checkFolder(dirname(file))) },
  { name: "secret files", run: ({ env }) => checkSecretFiles(env) },
  { name: "file system", run: ({ config }) => onSqlite(config, checkFileSystem) },
  { name: "disk space", run: ({ config }) => onSqlite(config, checkSpace) },
  { name: "write-ahead log", run: ({ config }) => onSqlite(config, checkWal) },
];

function onSqlite({ database }: Config, run: (file: string) => CheckResult): CheckResult {
  if (database.dialect !== "sqlite") return skipped("the database is PostgreSQL");
  if (!existsSync(database.file)) return skipped("there is no database yet");
  return run(database.file);
}

function checkRights(file: string): CheckResult {
  const parts = [file, `${file}-wal`, `${file}-shm`].filter((part) => existsSync(part));
  const open = parts.filter((part) => (statSync(part).mode & OTHERS) !== 0);
  const foreign = parts.filter((part) => process.getuid !== undefined && statSync(part).uid !== process.getuid());
  if (open.length > 0) {
    return failed(
      `others may read ${open.join(", ")}`,
      `chmod 600 ${open.join(" ")}; Gatehouse does it when it opens them.`,
    );
  }
  if (foreign.length > 0) {
    return warning(
      `${foreign.join(", ")} belong to another user than the one who runs this command`,
      "Run the command as the user of the service, or the service may lose its rights to a file that is made now.",
    );
  }
  return ok("the database is its owner's alone");
}

function checkFolder(folder: string): CheckResult {
  const { mode } = statSync(folder);
  if ((mode & OTHERS_WRITE) !== 0) return failed(`others may change files in ${folder}`, `chmod 700 ${folder}`);
  return ok(`nobody else may change files in ${folder}`);
}

function checkSecretFiles(env: Environment): CheckResult {
  // Only our own keys: SSL_CERT_FILE and the like name files that everybody may read.
  const names = [...KEYS].flatMap(([name, { secret }]) => (secret ? [fileKey(name)] : []));
  const files = names.flatMap((name) => (env[name] ? [{ name, file: env[name] }] : []));
  const open = files.filter(({ file }) => existsSync(file) && (statSync(file).mode & OTHERS) !== 0);
  if (files.length === 0) return skipped("no secret is read from a file");
  if (open.length === 0) return ok("the files with secrets are their owner's alone");
  const found = open.map(({ name, file }) => `${name} (${file})`).join(", ");
  return failed(`others may read the file of ${found}`, `chmod 600 ${open.map(({ file }) => file).join(" ")}`);
}

function checkFileSystem(file: string): CheckResult {
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(dirname(file)).type);
  if (!network) return ok("the database lies on a local disk");
  return failed(
    `the database lies on a network file system (${network}), whose locks SQLite cannot trust`,
    "Move it to a disk of this machine, or use PostgreSQL (DATABASE_URL).",
  );
}

function checkSpace(file: string): CheckResult {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  const needed = Math.max(LEAST_FREE_BYTES, statSync(file).size);
  const found = `${Math.floor(free / MIB)} MiB are free`;
  // A backup, and the copy before an upgrade, take as much as the database itself.
  if (free < needed) return failed(found, `Make room for at least ${Math.ceil(needed / MIB)} MiB on this disk.`);
  return ok(found);
}

function checkWal(file: string): CheckResult {
  const wal = `${file}-wal`;
  const bytes = existsSync(wal) ? statSync(wal).size : 0;
  const found = `${Math.ceil(bytes / MIB)} MiB`;
  if (bytes < LARGE_WAL_BYTES) return ok(found);
  return warning(
    `${wal} has ${found}`,
    "Some program holds the database open for reading all the time: end it, then restart.",
  );
}
