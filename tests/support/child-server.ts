import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "#app/config/read.server.ts";
import { systemClock } from "#app/context.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { count } from "./counts.ts";
import { createDatabaseFile } from "./databases.ts";
import { freePort } from "./free-port.ts";
import { findInDatabase, findInLog, requireNone } from "./sent-secrets.ts";
import { giveSigningKeys } from "./signing-keys.ts";
import { ROOT } from "./source-tree.ts";

const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 25;

type ChildServerOptions = {
  env?: Readonly<Record<string, string>>;
  /** Arguments of the command. */
  args?: readonly string[];
  /** Folder of the built program; default: the repository. */
  root?: string;
  /** The program, and its first arguments; default: this Node and the built program. */
  command?: readonly string[];
};

/** The built program as a separate process. Its database survives restarts. */
export type ChildServer = {
  url: string;
  /** Id of the current process. */
  pid(): number;
  /** Environment of the process, e.g. for commands. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** Its output so far. */
  output(): string;
  /** Sends a signal without waiting. */
  signal(name: NodeJS.Signals): void;
  /** Waits until the process exits; resolves to its exit code. */
  ended(): Promise<number>;
  /** Sends SIGKILL, as in a power failure. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number>;
  /** Restarts it on the same database and port. `through`: a wrapper program with its arguments. */
  start(through?: readonly string[]): Promise<void>;
  /**
   * Kills the process and removes its database. Throws if its output or database contains a secret of this test file.
   */
  remove(): Promise<void>;
};

/**
 * Starts `node build/main.js serve`, by default on a free port and a new database, and waits until it is ready. A new
 * SQLite file is migrated and has signing keys, whose generation takes half a second.
 */
export async function startChildServer(options: ChildServerOptions = {}): Promise<ChildServer> {
  const { env = {}, args = ["serve"], root = ROOT } = options;
  const { command = [process.execPath, join(root, "build/main.js")] } = options;
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-child-"));
  const port = env.PORT === undefined ? await freePort() : Number(env.PORT);
  const url = `http://localhost:${port}`;
  const own = Object.assign(childEnvironment(url, port, folder), env);
  let child: ChildProcess | null = null;
  let output = "";

  async function start(through: readonly string[] = []) {
    count("processes");
    const [program = "", ...rest] = [...through, ...command, ...args];
    const started = spawn(program, rest, {
      cwd: folder,
      env: own,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child = started;
    await waitUntilReady(url, started, () => output);
  }

  async function end(signal: NodeJS.Signals | null) {
    const ending = child;
    child = null;
    if (ending === null) return 0;
    if (ending.exitCode === null && ending.signalCode === null) {
      const exited = once(ending, "exit", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
      if (signal !== null) ending.kill(signal);
      await exited;
    }
    return ending.exitCode ?? 1;
  }

  async function remove() {
    await end("SIGKILL");
    const found = { log: findInLog(output), database: findInDatabase(join(folder, "gatehouse.sqlite")) };
    rmSync(folder, { recursive: true, force: true });
    requireNone("The log of the server", found.log);
    requireNone("The database of the server", found.database);
  }

  try {
    await prepareDatabase(own);
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url,
    pid: () => child?.pid ?? 0,
    env: own,
    output: () => output,
    signal: (name) => void child?.kill(name),
    ended: () => end(null),
    kill: async () => {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
    start,
    remove,
  };
}

/** Returns the minimal environment; only PATH is inherited. */
function childEnvironment(url: string, port: number, folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    ISSUER: url,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, "gatehouse.sqlite")}`,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    LOG_LEVEL: "info",
  };
}

/** Creates the SQLite file of an environment, unless it exists. */
async function prepareDatabase(env: Readonly<NodeJS.ProcessEnv>): Promise<void> {
  const read = readConfig(env);
  if (!read.ok) return;
  const { config } = read;
  if (config.database.dialect !== "sqlite" || existsSync(config.database.file)) return;
  await createDatabaseFile(config.database.file);
  const store = await openStore(config.database);
  await giveSigningKeys({ store, config, clock: systemClock });
  await store.close();
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string) {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The server ended before it was ready (exit code ${child.exitCode}):\n${output()}`);
    }
    if (await isReady(url)) return;
    await sleep(POLL_MS);
  }
  child.kill("SIGKILL");
  throw new Error(`The server was not ready in time:\n${output()}`);
}

async function isReady(url: string) {
  try {
    const response = await fetch(`${url}/readyz`);
    return response.ok;
  } catch {
    // Not listening yet.
    return false;
  }
}
