import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import type { ChildServer } from "#tests/support/child-server.ts";
import { count } from "#tests/support/counts.ts";
import { createDatabase, dialects } from "#tests/support/databases.ts";
import { ROOT } from "#tests/support/source-tree.ts";

/** Exit code and output of a program. */
export type Ended = { code: number; stdout: string; stderr: string };

/** Runs the built program to its end. `through`: a program with arguments that executes it. */
export async function runProgram(
  env: Readonly<NodeJS.ProcessEnv>,
  args: readonly string[],
  { stdin = "", through = [] }: { stdin?: string; through?: readonly string[] } = {},
): Promise<Ended> {
  count("processes");
  const [program = "", ...rest] = [...through, process.execPath, join(ROOT, "build/main.js"), ...args];
  const child = spawn(program, rest, { env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.end(stdin);
  await once(child, "close");
  return { code: child.exitCode ?? 1, ...output };
}

async function runCommand(server: ChildServer, args: readonly string[], stdin = ""): Promise<unknown> {
  const { code, stdout, stderr } = await runProgram(server.env, [...args, "--json"], { stdin });
  if (code !== 0) throw new Error(`gatehouse ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Adds a user while the server runs, like an administrator's command. */
export async function addUser(
  server: ChildServer,
  user: { username: string; password: string },
): Promise<{ id: string }> {
  const { username, password } = user;
  const args = ["user", "add", username, "--display-name", `Name of ${username}`, "--password-stdin"];
  return z.object({ id: z.string() }).parse(await runCommand(server, args, password));
}

export const REDIRECT_URI = "http://localhost:9/callback";

/** Adds a first-party client, which needs no consent. */
export async function addClient(server: ChildServer, id: string) {
  const args = ["client", "add", "--id", id, "--name", id, "--redirect-uri", REDIRECT_URI, "--first-party"];
  const added = await runCommand(server, [...args, "--scope", "openid", "--scope", "offline"]);
  const { client_id, client_secret } = z.object({ client_id: z.string(), client_secret: z.string() }).parse(added);
  return { clientId: client_id, clientSecret: client_secret, redirectUri: REDIRECT_URI };
}

/** Creates a database of the test run's dialect and returns the environment for it. */
export async function databaseOfRun(): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  const dialect = dialects.find((one) => one === process.env.GATEHOUSE_TEST_DIALECT) ?? "sqlite";
  const { target, remove } = await createDatabase(dialect);
  const url = target.dialect === "sqlite" ? `sqlite:${target.file}` : target.url;
  return { env: { DATABASE_URL: url }, remove };
}
