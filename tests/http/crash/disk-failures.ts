import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Installation } from "#tests/http/restore/installation.ts";
import { failingCalls, READING, SYNCING, WRITING } from "./failing-calls.ts";

/** A way in which the disk of a running server stops accepting writes. */
export type DiskFailure = {
  name: string;
  /** Stored data can still be read. */
  canBeRead: boolean;
  /** SQLite's error message. */
  errorPattern: RegExp;
  /** The command that starts the server, whose files are in this folder. */
  through(folder: string): readonly string[];
  /** Makes all further writes fail. */
  break(installation: Installation): void | Promise<void>;
  /** Ends the failure; the server is not notified. */
  repair(installation: Installation): void | Promise<void>;
};

/** Larger than a test database. */
const SMALL_DISK = "24m";

/** Returns the failures that this machine can simulate; a full disk requires the right to mount. */
export function diskFailures(): DiskFailure[] {
  return canMount() ? [...ANYWHERE, FULL_DISK] : ANYWHERE;
}

/** The kernel refuses every write to a file (RLIMIT_FSIZE), which SQLite reports as an I/O error. */
const REFUSED_WRITES: DiskFailure = {
  name: "that refuses to be written",
  ...{ canBeRead: true, errorPattern: /disk I\/O error/ },
  through: () => [],
  break: (installation) => limitFiles(installation, "0"),
  repair: (installation) => limitFiles(installation, "unlimited"),
};

const ANYWHERE = [
  REFUSED_WRITES,
  failingCalls("that was turned read-only", { calls: WRITING, error: "EROFS" }),
  failingCalls("that cannot keep what it took", { calls: SYNCING, error: "EIO" }),
  failingCalls("that cannot be read", { calls: READING, error: "EIO" }),
];

/** The server's folder becomes a small tmpfs in the server's own mount namespace. */
const FULL_DISK: DiskFailure = {
  name: "that is full",
  ...{ canBeRead: true, errorPattern: /disk I\/O error|database or disk is full/ },
  through: (folder) => [
    ...OWN_MOUNTS,
    `cp -a ${folder} ${folder}.kept && mount -t tmpfs -o size=${SMALL_DISK} tmpfs ${folder} &&
     cp -a ${folder}.kept/. ${folder} && rm -r ${folder}.kept && exec "$@"`,
    "sh",
  ],
  break: (installation) => fill(join(folderSeenBy(installation), "filler")),
  repair: (installation) => rmSync(join(folderSeenBy(installation), "filler")),
};

/** Returns the folder in the server's mount namespace. Not for SQLite, which resolves the symbolic link. */
export function folderSeenBy({ server, folder }: Pick<Installation, "server" | "folder">): string {
  return `/proc/${server.pid()}/root${folder}`;
}

/** Runs a command of sh in a mount namespace of its own. */
export const OWN_MOUNTS = ["unshare", "--map-root-user", "--mount", "sh", "-c"];

/** Returns true if a process of this machine may mount a file system in its own namespace. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-mount-"));
  const [program = "", ...args] = [...OWN_MOUNTS, `mount -t tmpfs tmpfs ${folder}`];
  const { status } = spawnSync(program, args, { stdio: "ignore" });
  rmSync(folder, { recursive: true });
  return status === 0;
}

function limitFiles({ server }: Installation, size: string): void {
  execFileSync("prlimit", [`--pid=${server.pid()}`, `--fsize=${size}:`]);
}

/** Writes until the disk is full. */
function fill(file: string): void {
  for (const size of [1_048_576, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, new Uint8Array(size), { flag: "a" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
}
