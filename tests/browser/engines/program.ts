import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Time limit for the start of a program, and for its end. */
const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 15_000;
const POLL_MS = 25;

/** A process that belongs to a browser. */
export type Program = {
  output(): string;
  /** Polls `find` until its result is not null; throws with the output if the process ends or the time limit passes. */
  waitFor<Found>(what: string, find: () => Found | null | Promise<Found | null>): Promise<Found>;
  /** Waits for the process to end; after the time limit, kills it with its children. */
  ended(): Promise<void>;
  end(): Promise<void>;
};

export function startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Program {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  // `waitFor` reports a failed start.
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
      throw new Error(`${program} did not reach: ${what}:\n${output}`);
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

/** Signals the children too, because proot neither ends on a signal nor forwards it. */
function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const each of [...descendants(pid), pid]) {
    try {
      process.kill(each, signal);
    } catch {
      // The process has ended already.
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
    // The process has ended.
    return [];
  }
}
