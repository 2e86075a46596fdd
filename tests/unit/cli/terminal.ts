import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { runCommandLine } from "#app/cli/program.server.ts";
import type { Serve } from "#app/cli/service.ts";
import { createDatabase, createEmptyDatabase, type TestDatabase } from "#tests/support/databases.ts";

export type Finished = { exitCode: number; stdout: string; stderr: string; json(): unknown };

export type RunOptions = {
  /** Content of standard input; empty by default. */
  input?: string | Uint8Array;
  /** Runs the command on a terminal; each question gets the next of these answers. */
  answers?: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  /** Standard output is a file on a full disk. */
  hasFullDisk?: boolean;
};

/** The environment of an installation, and its command, which runs in this process. */
export type Installation = {
  env: Readonly<Record<string, string>>;
  gatehouse(args: readonly string[], options?: RunOptions): Promise<Finished>;
};

/** Creates an environment with its own database file, which has all tables. It is removed after the test. */
export async function createInstallation(): Promise<Installation> {
  return createEnvironment(await createDatabase("sqlite"));
}

/** Creates an environment whose database file does not exist yet. It is removed after the test. */
export async function createNewInstallation(): Promise<Installation> {
  return createEnvironment(await createEmptyDatabase("sqlite"));
}

function createEnvironment({ target, remove }: TestDatabase): Installation {
  onTestFinished(remove);
  if (target.dialect !== "sqlite") throw new Error("expected SQLite");
  const env = {
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    SMTP_URL: "smtp://localhost",
    DATABASE_URL: `sqlite:${target.file}`,
  };
  return { env, gatehouse: (args, options = {}) => run(args, { ...options, env: { ...env, ...options.env } }) };
}

/** Runs a command with exactly the given environment. */
export async function run(args: readonly string[], options: RunOptions & { serve?: Serve } = {}): Promise<Finished> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  if (options.hasFullDisk) streams.stdout._transform = (_chunk, _encoding, done) => done(new Error("ENOSPC: no space"));
  const stdout = collect(streams.stdout);
  const stderr = collect(streams.stderr);
  if (options.answers) {
    for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: true });
    answerEach(streams, options.answers);
  } else {
    streams.stdin.end(options.input ?? "");
  }
  const exitCode = await runCommandLine({
    argv: ["node", "gatehouse", ...args],
    env: options.env ?? {},
    serve: options.serve ?? refuseToServe,
    streams,
  });
  return { exitCode, stdout: stdout(), stderr: stderr(), json: (): unknown => JSON.parse(stdout()) };
}

async function refuseToServe(): Promise<never> {
  throw new Error("this test starts no server");
}

function collect(stream: PassThrough): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

/** Types the next answer after each question; after the last answer, ends the input (Ctrl-D). */
function answerEach({ stdin, stderr }: { stdin: PassThrough; stderr: PassThrough }, answers: readonly string[]): void {
  const left = [...answers];
  stderr.on("data", (chunk) => {
    if (!/[:\]] $/.test(String(chunk))) return;
    const answer = left.shift();
    setImmediate(() => (answer === undefined ? stdin.end() : stdin.write(`${answer}\r`)));
  });
}
