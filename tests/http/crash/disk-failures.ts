import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Office } from "#tests/http/restore/office.ts";
import { failingCalls, READING, SYNCING, WRITING } from "./failing-calls.ts";

/** A way in which a disk stops to take what is written, under a running server. */
export type DiskFailure = {
  name: string;
  /** Whether what is on it is still to be had. */
  canBeRead: boolean;
  /** What SQLite says. */
  said: RegExp;
  /** What the server is started through, with its files in this folder. */
  through(folder: string): readonly string[];
  /** From now on nothing more can be written. */
  break(office: Office): void | Promise<void>;
  /** All is well again; nobody tells the server. */
  mend(office: Office): void | Promise<void>;
};

/** More than the database of a test. */
const SMALL_DISK = "24m";

/**
 * What this machine can show: everywhere, writes that fail, as on a broken disk; a disk that is full, where a process may
 * have a mount of its own.
 */
export function diskFailures(): DiskFailure[] {
  return canMount() ? [...ANYWHERE, FULL_DISK] : ANYWHERE;
}

/** The kernel refuses every write to a file (RLIMIT_FSIZE): to SQLite an input/output error. */
const REFUSED_WRITES: DiskFailure = {
  name: "that refuses to be written",
  ...{ canBeRead: true, said: /disk I\/O error/ },
  through: () => [],
  break: (office) => limitFiles(office, "0"),
  mend: (office) => limitFiles(office, "unlimited"),
};

const ANYWHERE = [
  REFUSED_WRITES,
  failingCalls("that was turned read-only", { calls: WRITING, error: "EROFS" }),
  failingCalls("that cannot keep what it took", { calls: SYNCING, error: "EIO" }),
  failingCalls("that cannot be read", { calls: READING, error: "EIO" }),
];

/** The server's folder becomes a small disk in memory, which this server alone sees. */
const FULL_DISK: DiskFailure = {
  name: "that is full",
  ...{ canBeRead: true, said: /disk I\/O error|database or disk is full/ },
  through: (folder) => [
    ...OWN_MOUNTS,
    `cp -a ${folder} ${folder}.kept && mount -t tmpfs -o size=${SMALL_DISK} tmpfs ${folder} &&
     cp -a ${folder}.kept/. ${folder} && rm -r ${folder}.kept && exec "$@"`,
    "sh",
  ],
  break: (office) => fill(join(folderSeenBy(office), "filler")),
  mend: (office) => rmSync(join(folderSeenBy(office), "filler")),
};

/** The folder of an office, as its server sees it. Not for SQLite, which follows the link to a file of ours. */
export function folderSeenBy({ server, folder }: Pick<Office, "server" | "folder">): string {
  return `/proc/${server.pid()}/root${folder}`;
}

const OWN_MOUNTS = ["unshare", "--map-root-user", "--mount", "sh", "-c"];

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-mount-"));
  const [program = "", ...args] = [...OWN_MOUNTS, `mount -t tmpfs tmpfs ${folder}`];
  const { status } = spawnSync(program, args, { stdio: "ignore" });
  rmSync(folder, { recursive: true });
  return status === 0;
}

function limitFiles({ server }: Office, size: string): void {
  execFileSync("prlimit", [`--pid=${server.pid()}`, `--fsize=${size}:`]);
}

/** Writes until nothing more goes. */
function fill(file: string): void {
  for (const size of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, new Uint8Array(size), { flag: "a" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
}
