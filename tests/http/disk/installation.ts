import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { readConfig } from "#app/config/read.server.ts";
import { type BaseContext, createBaseContext } from "#app/context.server.ts";
import { takeIntoService } from "#app/restore/take-into-service.server.ts";
import { type Ended, runProgram } from "#tests/http/crash/command.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

type RunOptions = { stdin?: string; through?: readonly string[]; env?: Readonly<NodeJS.ProcessEnv> };

/** Drops all capabilities, because otherwise permissions do not apply to root. */
export const UNPRIVILEGED = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];

/** A database without a running server, and the administrator's commands. */
export type OfflineInstallation = {
  /** Contains `data` and the backup folder `copies`. */
  folder: string;
  /** The folder of the database. */
  data: string;
  file: string;
  env: Readonly<NodeJS.ProcessEnv>;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Runs a function with a context, like a command or the server. */
  administer(work: (context: BaseContext) => Promise<unknown>): Promise<void>;
  /** Returns a hash of all rows, as the sqlite3 command reads them. */
  content(): string;
  /** Returns the names in the folder of the database. */
  names(): string[];
  remove(): void;
};

/** Creates a database with one user, `anna`. */
export async function createInstallation(): Promise<OfflineInstallation> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-desk-"));
  const data = join(folder, "data");
  for (const path of [data, join(folder, "copies")]) mkdirSync(path, { mode: 0o700 });
  const file = join(data, "gatehouse.sqlite");
  const env = environment(file, join(folder, "copies"));
  const installation: OfflineInstallation = {
    ...{ folder, data, file, env },
    run: (args, options = {}) => runProgram(options.env ?? env, args, options),
    administer: (work) => administer(env, work),
    content: () => contentOf(data, `${folder}/looked-at`),
    names: () => readdirSync(data).sort(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  const { code, stderr } = await installation.run(userAdd("anna"), { stdin: TEST_PASSWORD });
  if (code !== 0) throw new Error(stderr);
  return installation;
}

/** Returns the command that adds a user; the password is read from standard input. */
export function userAdd(username: string): string[] {
  return ["user", "add", username, "--display-name", `Name of ${username}`, "--password-stdin"];
}

async function administer(env: NodeJS.ProcessEnv, work: (context: BaseContext) => Promise<unknown>): Promise<void> {
  const read = readConfig(env);
  if (!read.ok) throw new Error("the environment of the test is wrong");
  const context = await createBaseContext({
    config: read.config,
    log: pino({ level: "silent" }),
    epochOf: takeIntoService,
  });
  try {
    await work(context);
  } finally {
    await context.store.close();
  }
}

function environment(file: string, copies: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    ISSUER: "http://localhost:9",
    HOST: "127.0.0.1",
    PORT: "9",
    DATABASE_URL: `sqlite:${file}`,
    BACKUP_DIR: copies,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
  };
}

/** Reads a copy, because reading creates a -shm file. */
function contentOf(data: string, copy: string): string {
  cpSync(data, copy, { recursive: true });
  const { program, env } = requireDebianTool("sqlite3");
  const dump = execFileSync(program, [join(copy, "gatehouse.sqlite"), "PRAGMA integrity_check", ".dump"], { env });
  rmSync(copy, { recursive: true });
  return createHash("sha256").update(dump).digest("hex");
}
