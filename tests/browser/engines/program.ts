import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a program may take to do what it is asked at its start, and to end. */
const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 15_000;
const POLL_MS = 25;

/** A program that a browser consists of. */
export type Program = {
  /** Everything it has printed so far. */
  output(): string;
  /** Waits until it answers something; throws, with what it printed, when it ends before. */
  waitFor<Found>(what: string, find: () => Found | null | Promise<Found | null>): Promise<Found>;
  /** Waits until it ends by itself, and ends it, with all that it started, when it does not. */
  ended(): Promise<void>;
  end(): Promise<void>;
};

export function startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Program {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  // What cannot be started is told by `waitFor`.
  exited.catch(() => undefined);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const ended = async () => {
    await Promise.race([exited, sleep(END_TIMEOUT_MS, null, { ref: false })]);
    if (runs(child)) signalAll(child, "SIGKILL");
    await exited;
  };
  return {
    output: () => output,
    async waitFor(what, find) {
      const deadline = performance.now() + START_TIMEOUT_MS;
      while (runs(child) && performance.now() < deadline) {
        const found = await find();
        if (found !== null) return found;
        await sleep(POLL_MS);
      }
      throw new Error(`${program} did not come to ${what}:\n${output}`);
    },
    ended,
    async end() {
      if (runs(child)) signalAll(child, "SIGTERM");
      await ended();
    },
  };
}

function runs(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** The children as well, because proot neither ends by a signal nor hands it on. */
function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const each of [...descendants(pid), pid]) {
    try {
      process.kill(each, signal);
    } catch {
      // It ended with the one before it.
    }
  }
}

function descendants(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children.flatMap(descendants), ...children];
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}
