// Preloaded into each measured process (`node --import`): reports processor time and memory, hashes and profiles.
import { writeFileSync } from "node:fs";
import type { Session } from "node:inspector/promises";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { ratePerSecond } from "./load.ts";
import type { ProbeRequest } from "./measured-process.ts";
import { median } from "./statistics.ts";

const SAMPLING_MICROSECONDS = 200;

const STALL_RESOLUTION_MS = 1;

let inspector: Session | null = null;
let stalls: IntervalHistogram | null = null;
const removalsMs: number[] = [];

process.on("message", (message) => {
  if (isProbeRequest(message)) void handleRequest(message).then((value) => process.send?.({ id: message.id, value }));
});
// The IPC channel must not keep the process alive.
process.channel?.unref();
// Exits with the benchmark.
process.once("disconnect", () => process.exit());

async function handleRequest(request: ProbeRequest): Promise<number | null> {
  switch (request.what) {
    case "processor time":
      return processorMs();
    case "memory":
      return process.memoryUsage.rss();
    case "peak memory":
      return process.resourceUsage().maxRSS * 1024;
    case "hash":
      return hash(request);
    case "hash rate":
      return hashRate(request);
    case "watch stalls":
      stalls?.disable();
      stalls = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });
      stalls.enable();
      return null;
    case "longest stall":
      return (stalls?.max ?? 0) / 1e6;
    case "watch removals":
      await watchRemovals();
      return null;
    case "longest removal":
      return Math.max(0, ...removalsMs);
    case "usual removal":
      return removalsMs.length > 0 ? median(removalsMs) : null;
    case "start profile":
      inspector = await startProfile();
      return null;
    case "end profile":
      await endProfile(request.file);
      return null;
  }
}

/** Listens to the emitter of the built program, which has loaded the same file. */
async function watchRemovals(): Promise<void> {
  const { instrumentation }: typeof import("#app/domain/audit/instrumentation.server.ts") = await import(
    new URL("../instrumentation.js", import.meta.url).href
  );
  instrumentation.on("clean-up batch", ({ heldMs }) => removalsMs.push(heldMs));
}

/** Returns the processor time of the process, all threads included, in milliseconds. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns the processor time of sequential password checks in this process, in milliseconds in total. */
async function hash({ stored, password, times }: Extract<ProbeRequest, { what: "hash" }>): Promise<number> {
  const { verify } = await import("@node-rs/argon2");
  const before = processorMs();
  for (let count = 0; count < times; count += 1) await verify(stored, password);
  return processorMs() - before;
}

/** Returns password checks per second with `concurrency` concurrent checks. */
async function hashRate({
  stored,
  password,
  concurrency,
  seconds,
}: Extract<ProbeRequest, { what: "hash rate" }>): Promise<number> {
  const { verify } = await import("@node-rs/argon2");
  const check = async () => {
    if (!(await verify(stored, password))) throw new Error("The stored hash is not of this password.");
  };
  return ratePerSecond({ clients: concurrency, seconds }, check);
}

async function startProfile(): Promise<Session> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLING_MICROSECONDS });
  await session.post("Profiler.start");
  return session;
}

async function endProfile(file: string): Promise<void> {
  const ended = await inspector?.post("Profiler.stop");
  inspector?.disconnect();
  writeFileSync(file, JSON.stringify(ended?.profile ?? null));
}

/** Only the benchmark writes to this channel, with typed messages. */
function isProbeRequest(message: unknown): message is ProbeRequest {
  return typeof message === "object" && message !== null && "what" in message;
}
