import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkReadiness, type ListenAddress, localOrigin, type Readiness } from "#app/cli/doctor/readiness.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { SECOND_MS } from "#app/durations.ts";

const UNIT = "gatehouse";
const READY_SECONDS = 60;
const POLL_MS = 250;
const JOURNAL_LINES = 20;

/** States of a unit that starts no more by itself; while systemd restarts it, the state is "activating". */
const ENDED = ["inactive", "failed"];

/** Lines that describe why a started service is not ready, and the end of its journal. */
export type StartProblem = readonly string[];

/** The service under systemd. */
export type SystemService = {
  /** True if the service runs, or starts with the machine. */
  isInUse(): boolean;
  /** Stops the service. Throws CommandError (failed). */
  stop(): void;
  /** Runs systemctl. Throws CommandError (failed). */
  systemctl(...args: string[]): void;
  /** Starts the service and waits for it, like `waitUntilReady`. */
  start(address: ListenAddress): Promise<StartProblem | null>;
  /** Waits until /readyz of the started server at this address responds 200. */
  waitUntilReady(address: ListenAddress): Promise<StartProblem | null>;
};

/**
 * Returns the service for setup, upgrades and rollbacks, which control it only here; null if systemd does not run, as in
 * containers (sd_booted(3)). `again` is the command that continues after a failure; error messages name it.
 */
export function findSystemService(
  root: string,
  { again, readySeconds = READY_SECONDS }: { again: string; readySeconds?: number },
): SystemService | null {
  if (!existsSync(join(root, "run/systemd/system"))) return null;
  const systemctl = (...args: string[]) => {
    const failure = failureOf(args);
    if (failure === null) return;
    throw new CommandError(EXIT.failed, [
      failure,
      `See: journalctl -u ${args[1] ?? UNIT} -n 50. Solve the problem, then run ${again} again, which continues.`,
    ]);
  };
  return {
    isInUse: () => ["is-active", "is-enabled"].some((query) => run("systemctl", [query, "--quiet", UNIT]).status === 0),
    stop: () => systemctl("stop", UNIT),
    systemctl,
    async start(address) {
      // The package may have replaced the unit.
      const failures = [["daemon-reload"], ["start", UNIT]].flatMap((args) => failureOf(args) ?? []);
      return failures.length > 0 ? [...failures, ...journalLines()] : waitUntilReady(address, { readySeconds });
    },
    waitUntilReady: (address) => waitUntilReady(address, { readySeconds }),
  };
}

function failureOf(args: readonly string[]): string | null {
  const { status, stderr } = run("systemctl", args);
  return status === 0 ? null : `systemctl ${args.join(" ")} failed: ${stderr.trim() || "it cannot be run"}`;
}

async function waitUntilReady(
  address: ListenAddress,
  { readySeconds }: { readySeconds: number },
): Promise<StartProblem | null> {
  const deadline = performance.now() + readySeconds * SECOND_MS;
  let readiness = await checkReadiness(address);
  while (readiness.kind !== "ready") {
    if (hasEnded()) return ["The service was started and has ended.", ...journalLines()];
    if (performance.now() > deadline) {
      const found = `${localOrigin(address)}/readyz ${textOf(readiness)}`;
      return [`The service was started, but is not ready after ${readySeconds} s: ${found}.`, ...journalLines()];
    }
    await sleep(POLL_MS);
    readiness = await checkReadiness(address);
  }
  return null;
}

function hasEnded(): boolean {
  return ENDED.includes(run("systemctl", ["show", "--property=ActiveState", "--value", UNIT]).stdout.trim());
}

function textOf(readiness: Exclude<Readiness, { kind: "ready" }>): string {
  switch (readiness.kind) {
    case "not ready":
      return `reports as failed: ${readiness.failed.join(", ")}`;
    case "foreign":
      return `is served by another program (status ${readiness.status})`;
    case "unreachable":
      return `cannot be reached (${readiness.failure})`;
    default:
      return assertNever(readiness);
  }
}

/** Returns the end of the service's journal with a heading; nothing if there is none. */
function journalLines(): string[] {
  const { stdout } = run("journalctl", [`--unit=${UNIT}`, `--lines=${JOURNAL_LINES}`, "--no-pager", "--quiet"]);
  const lines = stdout.trim().split("\n").filter(Boolean);
  return lines.length === 0 ? [] : ["The end of its journal:", ...lines.map((line) => `  ${line}`)];
}

function run(program: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  // Both are null if the program does not exist.
  return { status, stdout: stdout ?? "", stderr: stderr ?? "" };
}
