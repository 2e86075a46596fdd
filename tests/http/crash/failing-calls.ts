import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { companionFilesOf } from "#app/db/files/companion-files.server.ts";
import type { Installation } from "#tests/http/restore/installation.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import type { DiskFailure } from "./disk-failures.ts";

/** System calls and the error that the kernel returns for them, in strace's spelling. */
export type Fault = { calls: string; error: "EIO" | "EROFS" };

/** System calls that write to a file. */
export const WRITING = "write,writev,pwrite64,pwritev,ftruncate,fallocate";
export const SYNCING = "fsync,fdatasync";
export const READING = "read,readv,pread64,preadv";

const ATTACH_TIMEOUT_MS = 60_000;

/** Number of the system call prctl by processor. */
const PRCTL: Readonly<Record<string, number>> = { x64: 157, arm64: 167 };

/**
 * Lets any process with the same rights trace the following program. Where the kernel lets only parents trace (Yama),
 * an ordinary user could not trace a running server; kernels without that rule return an error, which is ignored.
 * 0x59616d61 is PR_SET_PTRACER, -1 is any process.
 */
const TRACEABLE = ["perl", "-e", `syscall(${PRCTL[process.arch] ?? 157}, 0x59616d61, -1, 0, 0, 0); exec @ARGV`];

/** Makes system calls on the database files fail, like defective hardware or a broken file system. */
export function failingCalls(name: string, fault: Fault): DiskFailure {
  let tracer: ChildProcess | null = null;
  return {
    name,
    canBeRead: fault.calls !== READING,
    // SQLite reports an unreadable file (EIO) as malformed.
    errorPattern: fault.calls === READING ? /database disk image is malformed/ : /disk I\/O error/,
    through: () => TRACEABLE,
    async break(installation) {
      tracer = await attach(installation, fault);
      // A write by another process invalidates the server's page cache.
      if (fault.calls === READING) await installation.addUser("dora");
    },
    async repair() {
      if (tracer === null) return;
      tracer.kill("SIGINT");
      await once(tracer, "exit");
      tracer = null;
    },
  };
}

/** Resolves when all threads of the server are traced, so that every later call is affected. */
async function attach({ server, file }: Installation, { calls, error }: Fault): Promise<ChildProcess> {
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
