import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";

const UNIT = "gatehouse.service";

/** The service under systemd. */
export type SystemService = {
  /** True if the service runs, or starts with the machine. */
  isInUse(): boolean;
  stop(): void;
  start(): void;
};

/** Returns the service; null if systemd does not run, as in containers (sd_booted(3)). */
export function findSystemService(root: string): SystemService | null {
  if (!existsSync(join(root, "run/systemd/system"))) return null;
  return {
    isInUse: () => ["is-active", "is-enabled"].some((query) => systemctl(query, "--quiet", UNIT)),
    stop: () => systemctlOrThrow("stop", UNIT),
    start() {
      // The package may have replaced the unit.
      systemctlOrThrow("daemon-reload");
      systemctlOrThrow("start", UNIT);
    },
  };
}

function systemctlOrThrow(...args: string[]): void {
  if (systemctl(...args)) return;
  throw new CommandError(EXIT.failed, [`systemctl ${args.join(" ")} failed. See: journalctl -u gatehouse -n 50`]);
}

function systemctl(...args: string[]): boolean {
  return spawnSync("systemctl", args, { stdio: "inherit" }).status === 0;
}
