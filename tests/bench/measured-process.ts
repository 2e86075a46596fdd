import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { BUNDLES } from "./references.ts";

/** A request to the probe in a measured process, with its id. */
export type ProbeRequest = { id: number } & ProbeCommand;

type ProbeCommand =
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
  | ({ what: "hash rate"; concurrency: number; seconds: number } & PasswordCheck)
  | { what: "end profile"; file: string };

/** A stored hash and its password. */
type PasswordCheck = { stored: string; password: string };

/** A child process with the probe. */
export type MeasuredProcess = {
  /** Processor time of all threads so far, in milliseconds. */
  processorMs(): Promise<number>;
  /** Resident memory, in bytes. */
  memoryBytes(): Promise<number>;
  /** Peak resident memory, in bytes. */
  peakMemoryBytes(): Promise<number>;
  /** Processor time of `times` password checks in this process, in milliseconds in total. */
  hashMs(check: PasswordCheck & { times: number }): Promise<number>;
  /** Password checks per second in this process, with `concurrency` concurrent checks. */
  hashesPerSecond(check: PasswordCheck & { concurrency: number; seconds: number }): Promise<number>;
  /** Starts recording stalls of the event loop. */
  watchStalls(): Promise<void>;
  /** Longest stall since then, in milliseconds. */
  longestStallMs(): Promise<number>;
  /** Starts recording how long the removal of expired rows blocks the event loop. */
  watchRemovals(): Promise<void>;
  /** Longest batch since then, in milliseconds. */
  longestRemovalMs(): Promise<number>;
  /** Median batch, in milliseconds; not affected by other load on the machine. */
  usualRemovalMs(): Promise<number>;
  startProfile(): Promise<void>;
  endProfile(file: string): Promise<void>;
  stop(): Promise<void>;
};

export type Program = { file: string; args?: readonly string[]; env: NodeJS.ProcessEnv; logFile: string };

const STOP_TIMEOUT_MS = 15_000;

const responseSchema = z.object({ id: z.number(), value: z.number().nullable() });

const running = new Set<ChildProcess>();

/** Starts a program. Its output goes to the log file, so that the benchmark need not read it during the measurement. */
export function startMeasured({ file, args = [], env, logFile }: Program): MeasuredProcess {
  const log = openSync(logFile, "a");
  const probe = pathToFileURL(join(BUNDLES, "probe.js")).href;
  const child = spawn(process.execPath, [...flagsOf(file), "--import", probe, file, ...args], {
    env,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  running.add(child);
  const sendToProbe = createProbeClient(child, logFile);
  return {
    processorMs: () => sendToProbe({ what: "processor time" }),
    memoryBytes: () => sendToProbe({ what: "memory" }),
    peakMemoryBytes: () => sendToProbe({ what: "peak memory" }),
    hashMs: (check) => sendToProbe({ what: "hash", ...check }),
    hashesPerSecond: (check) => sendToProbe({ what: "hash rate", ...check }),
    watchStalls: async () => void (await sendToProbe({ what: "watch stalls" })),
    longestStallMs: () => sendToProbe({ what: "longest stall" }),
    watchRemovals: async () => void (await sendToProbe({ what: "watch removals" })),
    longestRemovalMs: () => sendToProbe({ what: "longest removal" }),
    usualRemovalMs: () => sendToProbe({ what: "usual removal" }),
    startProfile: async () => void (await sendToProbe({ what: "start profile" })),
    endProfile: async (profileFile) => void (await sendToProbe({ what: "end profile", file: profileFile })),
    stop: () => end(child),
  };
}

/** Returns the flags of Node in the first line of a program, which a start by its path would apply. */
function flagsOf(file: string): string[] {
  const [, flags = ""] = /^#!.* node (.*)/.exec(readFileSync(file, "utf8")) ?? [];
  return flags.split(" ").filter(Boolean);
}

/** Stops all running programs, after a failure. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(end));
}

/** Returns a function that sends requests to the probe; rejects with the end of the log if the process has exited. */
function createProbeClient(child: ChildProcess, logFile: string): (command: ProbeCommand) => Promise<number> {
  const waiting = new Map<number, { resolve: (value: number) => void; reject: (error: Error) => void }>();
  let id = 0;
  child.on("message", (message) => {
    const { id: requestId, value } = responseSchema.parse(message);
    waiting.get(requestId)?.resolve(value ?? 0);
    waiting.delete(requestId);
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error(`A measured program ended:\n${endOf(logFile)}`));
  });
  return (command) =>
    new Promise((resolve, reject) => {
      id += 1;
      waiting.set(id, { resolve, reject });
      child.send({ id, ...command }, (error) => {
        if (error) reject(new Error(`a measured program does not respond:\n${endOf(logFile)}`, { cause: error }));
      });
    });
}

/** Returns the last lines of a log file. */
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
