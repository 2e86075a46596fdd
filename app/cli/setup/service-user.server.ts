import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Streams } from "#app/cli/output/output.server.ts";

/** The system user of the service; null if setup runs as this user itself, below another root folder. */
export type ServiceUser = { uid: number; gid: number } | null;

/** Returns the system user of the service. Throws CommandError (refused) if setup may not write the installation. */
export function requireServiceUser(name: string, { isSystem }: { isSystem: boolean }): ServiceUser {
  if (process.getuid?.() !== 0) {
    if (!isSystem) return null;
    throw new CommandError(EXIT.refused, [
      "Nothing was changed: only root can set up the service.",
      "Run: sudo gatehouse setup",
    ]);
  }
  const [uid, gid] = ["-u", "-g"].map((option) => {
    const { status, stdout } = spawnSync("id", [option, "--", name], { encoding: "utf8" });
    return status === 0 ? Number(stdout) : null;
  });
  if (typeof uid === "number" && typeof gid === "number") return { uid, gid };
  throw new CommandError(EXIT.refused, [
    `Nothing was changed: there is no system user "${name}", which the package creates.`,
    `Run: useradd --system --home-dir /var/lib/gatehouse --shell /usr/sbin/nologin ${name}`,
  ]);
}

/** Runs commands of this program as the user of the service. */
export type Program = {
  /** Returns the standard output. Standard error is shown. Throws CommandError if the command fails. */
  run(args: readonly string[], options?: { accepts?: readonly number[] }): Promise<string>;
};

/** Creates a runner of commands with this environment. PATH is that of setup. */
export function createProgram(
  env: Environment,
  { user, folder, path, streams }: { user: ServiceUser; folder: string; path: string; streams: Streams },
): Program {
  return {
    async run(args, { accepts = [EXIT.ok] } = {}) {
      const [, script = ""] = process.argv;
      const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
        cwd: folder,
        env: { PATH: path, ...env, NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "pipe"],
        ...(user ?? {}),
      });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
      child.stderr.on("data", (text: Buffer) => streams.stderr.write(text));
      await once(child, "close");
      if (accepts.some((code) => code === child.exitCode)) return output;
      streams.stderr.write(output);
      throw new CommandError(EXIT.failed, [
        `gatehouse ${args.slice(0, 2).join(" ")} ended with ${child.exitCode ?? child.signalCode}.`,
        "Solve the problem above, then run gatehouse setup again, which continues.",
      ]);
    },
  };
}
