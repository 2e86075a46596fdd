import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { companionFilesOf } from "#app/db/files/companion-files.server.ts";
import type { Office } from "#tests/http/restore/office.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import type { DiskFailure } from "./disk-failures.ts";

/** What the kernel is to answer instead of doing it, as strace spells both. */
export type Fault = { calls: string; error: "EIO" | "EROFS" };

/** All by which bytes get into a file. */
export const WRITING = "write,writev,pwrite64,pwritev,ftruncate,fallocate";
export const SYNCING = "fsync,fdatasync";
export const READING = "read,readv,pread64,preadv";

const ATTACH_TIMEOUT_MS = 60_000;

/** Where prctl stands in the table of the processor's system calls. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };

/**
 * Lets whoever has the same rights trace the program that comes next. Where the kernel shows children to their parents
 * alone (Yama), an ordinary user could not reach a server that runs; a kernel without that rule refuses, and no harm done.
 * 0x59616d61 is PR_SET_PTRACER, -1 anybody.
 */
const TRACEABLE = ["perl", "-e", `syscall(${PRCTL[process.arch] ?? 157}, 0x59616d61, -1, 0, 0, 0); exec @ARGV`];

/** The kernel fails what the server asks of its database's files, as it does where the hardware or the file system fails. */
export function failingCalls(name: string, fault: Fault): DiskFailure {
  let tracer: ChildProcess | null = null;
  return {
    name,
    canBeRead: fault.calls !== READING,
    // To SQLite, a file that cannot be read (EIO) is a damaged one.
    said: fault.calls === READING ? /database disk image is malformed/ : /disk I\/O error/,
    through: () => TRACEABLE,
    async break(office) {
      tracer = await attach(office, fault);
      // What others have written since makes the server forget the pages of the file that it remembers.
      if (fault.calls === READING) await office.addUser("dora");
    },
    async mend() {
      if (tracer === null) return;
      tracer.kill("SIGINT");
      await once(tracer, "exit");
      tracer = null;
    },
  };
}

/** Resolves when all threads of the server are watched: from then on no call escapes. */
async function attach({ server, file }: Office, { calls, error }: Fault): Promise<ChildProcess> {
  const { program, env } = requireDebianTool("strace");
  const files = [file, `${file}-wal`, companionFilesOf(file).audit].flatMap((path) => ["-P", path]);
  const what = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}`];
  const tracer = spawn(program, ["-f", "-o", "/dev/null", ...what, ...files, "-p", String(server.pid())], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const signal = AbortSignal.timeout(ATTACH_TIMEOUT_MS);
  tracer.stderr.setEncoding("utf8");
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`strace could not attach: ${said}`));
    tracer.once("exit", fail);
    signal.addEventListener("abort", fail);
    tracer.stderr.on("data", (text: string) => {
      said += text;
      if (/Process \d+ attached/.test(said)) resolve();
    });
  });
  return tracer;
}
