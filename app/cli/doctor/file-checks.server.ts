import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "#app/cli/command-line.server.ts";
import { explainError } from "#app/cli/output/errors.server.ts";
import type { Config } from "#app/config/config.ts";
import { fileKey, KEYS } from "#app/config/environment.server.ts";
import {
  isWritableForService,
  requireServiceFiles,
  serviceFilesOf,
  serviceUserOf,
} from "#app/db/files/writable.server.ts";
import { type Check, type CheckResult, failed, ok, skipped, unwritableFolder, warning } from "./check.server.ts";

/** Input of the checks that run before the database is opened, because opening it corrects file permissions. */
type Installation = { config: Config; env: Environment };

const MIB = 1024 * 1024;
const MIN_FREE_BYTES = 200 * MIB;
const LARGE_WAL_BYTES = 100 * MIB;
const GROUP_AND_OTHERS = 0o077;
const WRITE_BY_OTHERS = 0o022;
const OTHERS = 0o007;
const GROUP_READ = 0o040;
const GROUP_WRITE = 0o020;
const STICKY = 0o1000;

/** Network file systems, on which SQLite's locks are unreliable, by their f_type (Linux, statfs(2)). */
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

/** Checks of the files of an installation: permissions, file system, disk space, WAL. */
export const FILE_CHECKS: readonly Check<Installation>[] = [
  { name: "file rights", run: ({ config }) => onSqlite(config, checkRights) },
  { name: "folder rights", run: ({ config }) => onSqlite(config, (file) => checkFolder(dirname(file))) },
  { name: "mail files", run: ({ config }) => checkOutbox(config) },
  { name: "secret files", run: ({ config, env }) => checkSecretFiles(config, env) },
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
  const files = serviceFilesOf(file);
  const data = files.filter((path) => [file, `${file}-wal`, `${file}-shm`].includes(path));
  const open = data.filter((path) => (statSync(path).mode & GROUP_AND_OTHERS) !== 0);
  const service = serviceUserOf(file);
  const foreign = files.filter((path) => statSync(path).uid !== service);
  if (open.length > 0) {
    return failed(
      `other users can read ${open.join(", ")}`,
      `Run: chmod 600 ${open.join(" ")}. Gatehouse also does this when it opens the database.`,
    );
  }
  if (foreign.length > 0) {
    return failed(
      `the service cannot write files of another user: ${foreign.join(", ")}`,
      `Run as root: chown ${service} ${foreign.join(" ")}`,
    );
  }
  try {
    requireServiceFiles(file);
  } catch (error) {
    const [found = "", ...fix] = explainError(error).lines;
    return failed(found, fix.join(" "));
  }
  return ok("only the user of the service can read the database, and can write all its files");
}

function checkOutbox({ smtpUrl, dataDir, database }: Config): CheckResult {
  const folder = join(dataDir, "outbox");
  if (smtpUrl !== null || !existsSync(folder)) return skipped("no mail was written to a file");
  return isWritableForService(folder, database) ? ok(folder) : unwritableFolder(folder);
}

function checkFolder(folder: string): CheckResult {
  const { mode } = statSync(folder);
  if ((mode & WRITE_BY_OTHERS) !== 0) {
    return failed(`other users can change files in ${folder}`, `Run: chmod 700 ${folder}`);
  }
  return ok(`only the owner can change files in ${folder}`);
}

function checkSecretFiles({ dataDir }: Config, env: Environment): CheckResult {
  // Only secrets of Gatehouse: files such as SSL_CERT_FILE may be readable by all users.
  const names = [...KEYS].flatMap(([name, { secret }]) => (secret ? [fileKey(name)] : []));
  const files = names.flatMap((name) => (env[name] ? [{ name, file: env[name] }] : []));
  if (files.length === 0) return skipped("no secret is read from a file");
  const serviceGroup = existsSync(dataDir) ? statSync(dataDir).gid : process.getgid?.();
  const open = files.filter(({ file }) => existsSync(file) && isOpenToOthers(file, serviceGroup));
  if (open.length === 0) return ok("no other user can read the files with secrets");
  const found = open.map(({ name, file }) => `${name} (${file})`).join(", ");
  return failed(
    `other users can read or replace the file of ${found}`,
    `Run: chmod 600 ${open.map(({ file }) => file).join(" ")}; only their owner may write to their folders.`,
  );
}

/** The group of the service may read a file of root (mode 640). */
function isOpenToOthers(file: string, serviceGroup: number | undefined): boolean {
  const { mode, gid } = statSync(file);
  const isReadable = (mode & OTHERS) !== 0 || (mode & GROUP_WRITE) !== 0;
  const folderMode = statSync(dirname(file)).mode;
  const isReplaceable = (folderMode & WRITE_BY_OTHERS) !== 0 && (folderMode & STICKY) === 0;
  return isReadable || isReplaceable || ((mode & GROUP_READ) !== 0 && gid !== serviceGroup);
}

function checkFileSystem(file: string): CheckResult {
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(dirname(file)).type);
  if (!network) return ok("the database is on a local disk");
  return failed(
    `the database is on a network file system (${network}), where file locks are unreliable`,
    "Move it to a local disk, or use PostgreSQL (DATABASE_URL).",
  );
}

function checkSpace(file: string): CheckResult {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  const needed = Math.max(MIN_FREE_BYTES, statSync(file).size);
  const found = `${Math.floor(free / MIB)} MiB are free`;
  // A backup needs as much space as the database.
  if (free < needed) {
    return failed(found, `Free some disk space: at least ${Math.ceil(needed / MIB)} MiB must be free.`);
  }
  return ok(found);
}

function checkWal(file: string): CheckResult {
  const wal = `${file}-wal`;
  const bytes = existsSync(wal) ? statSync(wal).size : 0;
  const found = `${Math.ceil(bytes / MIB)} MiB`;
  if (bytes < LARGE_WAL_BYTES) return ok(found);
  return warning(
    `${wal} has ${found}`,
    "Another program keeps a read transaction open. End it, then restart the server.",
  );
}
