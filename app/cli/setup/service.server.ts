import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Output } from "#app/cli/output/output.server.ts";
import { SECOND_MS } from "#app/durations.ts";
import type { Layout } from "./layout.server.ts";
import type { ProxyName } from "./proxy-file.server.ts";

const READY_SECONDS = 30;
const POLL_MS = 250;

/** The services to start. `isChanged`: a running service has to be restarted. `reloads`: the proxy has to load its file. */
type Start = { isChanged: boolean; proxy: ProxyName; reloads: boolean; port: string };

/**
 * Starts the service and reloads the proxy, and waits until the service is ready. Without systemd, prints the commands.
 * Throws CommandError (failed).
 */
export async function startService(layout: Layout, output: Output, start: Start): Promise<void> {
  const { isChanged, proxy, reloads, port } = start;
  const proxyCommands = reloads && proxy !== "own" ? [["reload-or-restart", proxy]] : [];
  const commands = [
    ["daemon-reload"],
    ["enable", "gatehouse"],
    [isChanged ? "restart" : "start", "gatehouse"],
    ...proxyCommands,
  ];
  if (!existsSync(layout.systemdMark)) {
    output.note("systemd does not run here. Start the service as its user:\n  gatehouse serve");
    if (reloads && proxy !== "own") output.note(`Then start or reload ${proxy}.`);
    return;
  }
  for (const command of commands) systemctl(command, output);
  await waitUntilReady(port, output);
}

function systemctl(args: readonly string[], output: Output): void {
  output.note(`systemctl ${args.join(" ")}`);
  const { status, stderr } = spawnSync("systemctl", args, { encoding: "utf8" });
  if (status === 0) return;
  const unit = args[1] ?? "gatehouse";
  throw new CommandError(EXIT.failed, [
    `systemctl ${args.join(" ")} failed: ${stderr?.trim() || "it cannot be run"}`,
    `See journalctl -u ${unit} -n 50. Then run gatehouse setup again, which continues.`,
  ]);
}

async function waitUntilReady(port: string, output: Output): Promise<void> {
  const deadline = performance.now() + READY_SECONDS * SECOND_MS;
  while (performance.now() < deadline) {
    if (await isReady(port)) return;
    await sleep(POLL_MS);
  }
  output.note(`The service is not ready after ${READY_SECONDS} s. See journalctl -u gatehouse -n 50.`);
}

async function isReady(port: string): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(SECOND_MS) })).ok;
  } catch {
    return false;
  }
}
