import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pino } from "pino";
import { readConfig } from "#app/config/read.server.ts";
import { type BaseContext, createBaseContext } from "#app/context.server.ts";
import { addClient as registerClient } from "#app/domain/client/add.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import type { ChildServer } from "#tests/support/child-server.ts";
import { count } from "#tests/support/counts.ts";
import { createDatabase, dialects } from "#tests/support/databases.ts";
import { createFixtures } from "#tests/support/server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { run } from "#tests/unit/cli/terminal.ts";

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

/**
 * Runs a command of the program in this process, which spares half a second: for tests of the command's effects, which
 * do not depend on the process.
 */
export async function runHere(env: Readonly<NodeJS.ProcessEnv>, args: readonly string[]): Promise<Ended> {
  const { exitCode, stdout, stderr } = await run(args, { env: { ...env } });
  return { code: exitCode, stdout, stderr };
}

/** Runs a function on the database of a server, beside it, like an administrator's command. */
export async function administer<T>(
  { env }: Pick<ChildServer, "env">,
  work: (context: BaseContext) => Promise<T>,
): Promise<T> {
  const read = readConfig(env);
  if (!read.ok) throw new Error("the server's environment is wrong");
  const context = await createBaseContext({
    config: read.config,
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  try {
    return await work(context);
  } finally {
    await context.store.close();
  }
}

/** Adds a user while the server runs. Users with the same password share its hash. */
export function addUser(
  server: Pick<ChildServer, "env">,
  { username, password }: { username: string; password: string },
): Promise<{ id: string }> {
  return administer(server, (context) =>
    createFixtures(context).users.create({ username, displayName: `Name of ${username}`, password, email: null }),
  );
}

export const REDIRECT_URI = "http://localhost:9/callback";

/** Adds a first-party client, which needs no consent. */
export async function addClient(server: Pick<ChildServer, "env">, id: string) {
  const scopes = ["openid", "offline"];
  const client = { id, name: id, redirectUris: [REDIRECT_URI], firstParty: true, scopes };
  const { clientId, clientSecret } = await administer(server, (context) => registerClient(context, client));
  return { clientId, clientSecret: clientSecret ?? "", redirectUri: REDIRECT_URI };
}

/** Creates a database of the test run's dialect and returns the environment for it. */
export async function databaseOfRun(): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  const dialect = dialects.find((one) => one === process.env.GATEHOUSE_TEST_DIALECT) ?? "sqlite";
  const { target, remove } = await createDatabase(dialect);
  const url = target.dialect === "sqlite" ? `sqlite:${target.file}` : target.url;
  return { env: { DATABASE_URL: url }, remove };
}
