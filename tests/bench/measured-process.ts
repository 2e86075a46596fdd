import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { BUNDLES } from "./references.ts";

/** What the probe inside a measured process understands; each question has a number of its own. */
export type Ask = { id: number } & Question;

type Question =
  | {
      what:
        | "processor time"
        | "memory"
        | "peak memory"
        | "start profile"
        | "watch stalls"
        | "longest stall"
        | "watch removals"
        | "longest removal"
        | "usual removal";
    }
  | ({ what: "hash"; times: number } & PasswordCheck)
  | ({ what: "hash rate"; lanes: number; seconds: number } & PasswordCheck)
  | { what: "end profile"; file: string };

/** A stored hash and the password it is of. */
export type PasswordCheck = { stored: string; password: string };

/** A program that runs as a child of the bench, with the probe in it. */
export type MeasuredProcess = {
  /** Processor time so far, of all its threads, in milliseconds. */
  processorMs(): Promise<number>;
  /** Memory it holds now, in bytes. */
  memoryBytes(): Promise<number>;
  /** The most memory it ever held, in bytes. */
  peakMemoryBytes(): Promise<number>;
  /** Processor time of `times` password checks in this process, in milliseconds for all of them. */
  hashMs(check: PasswordCheck & { times: number }): Promise<number>;
  /** Password checks per second in this process, in so many lanes. */
  hashesPerSecond(check: PasswordCheck & { lanes: number; seconds: number }): Promise<number>;
  /** From now on, notes how long the event loop stands still. */
  watchStalls(): Promise<void>;
  /** The longest time it stood still since then, in milliseconds. */
  longestStallMs(): Promise<number>;
  /** From now on, notes for how long the removal of expired rows holds the event loop. */
  watchRemovals(): Promise<void>;
  /** The longest time that it did since then, in milliseconds. */
  longestRemovalMs(): Promise<number>;
  /** The time that half of its batches did not pass, in milliseconds: what the machine does beside it is not in there. */
  usualRemovalMs(): Promise<number>;
  startProfile(): Promise<void>;
  endProfile(file: string): Promise<void>;
  stop(): Promise<void>;
};

export type Program = { file: string; args?: readonly string[]; env: NodeJS.ProcessEnv; logFile: string };

const STOP_TIMEOUT_MS = 15_000;

const answer = z.object({ id: z.number(), value: z.number().nullable() });

const running = new Set<ChildProcess>();

/** Starts a program; what it prints goes to its log file, so that nobody has to read it while it is measured. */
export function startMeasured({ file, args = [], env, logFile }: Program): MeasuredProcess {
  const log = openSync(logFile, "a");
  const probe = pathToFileURL(join(BUNDLES, "probe.js")).href;
  const child = spawn(process.execPath, ["--import", probe, file, ...args], {
    env,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  running.add(child);
  const ask = questions(child, logFile);
  return {
    processorMs: () => ask({ what: "processor time" }),
    memoryBytes: () => ask({ what: "memory" }),
    peakMemoryBytes: () => ask({ what: "peak memory" }),
    hashMs: (check) => ask({ what: "hash", ...check }),
    hashesPerSecond: (check) => ask({ what: "hash rate", ...check }),
    watchStalls: async () => void (await ask({ what: "watch stalls" })),
    longestStallMs: () => ask({ what: "longest stall" }),
    watchRemovals: async () => void (await ask({ what: "watch removals" })),
    longestRemovalMs: () => ask({ what: "longest removal" }),
    usualRemovalMs: () => ask({ what: "usual removal" }),
    startProfile: async () => void (await ask({ what: "start profile" })),
    endProfile: async (profileFile) => void (await ask({ what: "end profile", file: profileFile })),
    stop: () => end(child),
  };
}

/** Ends everything that still runs, for the time when something went wrong. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

/** Asks a child and waits for its answer; rejects with the end of its log when the child has ended. */
function questions(child: ChildProcess, logFile: string): (question: Question) => Promise<number> {
  const waiting = new Map<number, { resolve: (value: number) => void; reject: (error: Error) => void }>();
  let id = 0;
  child.on("message", (message) => {
    const { id: answered, value } = answer.parse(message);
    waiting.get(answered)?.resolve(value ?? 0);
    waiting.delete(answered);
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error(`A measured program ended:\n${endOf(logFile)}`));
  });
  return (question) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, { resolve, reject });
      child.send({ id, ...question }, (error) => {
        if (error) reject(new Error(`A measured program does not answer:\n${endOf(logFile)}`, { cause: error }));
      });
    });
}

/** The last lines that a program has printed. */
export function endOf(logFile: string): string {
  return readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-20).join("\n");
}

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await exited;
  clearTimeout(patience);
}
