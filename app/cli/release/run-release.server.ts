import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Environment } from "#app/cli/command-line.server.ts";
import type { InstalledReleases } from "./installed-releases.server.ts";

type RunInput = { release: string; args: readonly string[]; env: Environment };

/**
 * Runs a command of a release with /usr/bin/gatehouse, so with the service's configuration and as its user, and shows its
 * output. Returns true if it succeeds.
 */
export function runRelease({ root }: InstalledReleases, { release, args, env }: RunInput): boolean {
  const program = join(root, "usr/bin/gatehouse");
  const { status } = spawnSync(program, args, {
    stdio: "inherit",
    env: { ...env, NODE_ENV: "production", GATEHOUSE_RELEASE: release },
  });
  return status === 0;
}
