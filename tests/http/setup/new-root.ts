import { chmodSync, chownSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, runProgram } from "#tests/http/crash/command.ts";
import { ROOT } from "#tests/support/source-tree.ts";

export const IS_ROOT = process.getuid?.() === 0;

/** User and group id of an account without rights, which every Debian has. */
const NOBODY = { uid: 65_534, gid: 65_534 };

/** The user of the service in the tests: the account without rights, if root runs them in a folder that it can read. */
export const SERVICE =
  IS_ROOT && isReadableByAll(ROOT) ? { name: "nobody", ...NOBODY } : { name: "root", uid: 0, gid: 0 };

/** Runs a program as the account without rights. */
export const AS_NOBODY = ["setpriv", `--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, "--clear-groups"];

function isReadableByAll(folder: string): boolean {
  const isReadable = (lstatSync(folder).mode & 0o005) === 0o005;
  return isReadable && (dirname(folder) === folder || isReadableByAll(dirname(folder)));
}

export type SetupOptions = {
  stdin?: string;
  through?: readonly string[];
  env?: Readonly<Record<string, string>>;
};

/** A folder in place of "/", in which an installation is set up. */
export type NewRoot = {
  path: string;
  at(path: string): string;
  read(path: string): string;
  /** All files and links with mode, owner and content; without the database, which every command opens. */
  files(): Record<string, string>;
  /** Runs `gatehouse setup` without a terminal. */
  setup(args: readonly string[], options?: SetupOptions): Promise<Ended>;
};

/** Creates an empty folder for an installation. It is removed after the test, or by the caller in a hook. */
export function createRoot({
  owner = 0,
  remove = onTestFinished,
}: {
  owner?: number;
  remove?(task: () => void): void;
} = {}): NewRoot {
  const path = mkdtempSync(join(tmpdir(), "gatehouse-root-"));
  remove(() => rmSync(path, { recursive: true, force: true }));
  chmodSync(path, 0o755);
  if (IS_ROOT) chownSync(path, owner, owner);
  const at = (file: string) => join(path, file);
  return {
    path,
    at,
    read: (file) => readFileSync(at(file), "utf8"),
    files() {
      const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter(
        (name) => !/^var\/lib\//.test(name),
      );
      return Object.fromEntries(
        names.sort().map((name) => {
          const { mode, uid, mtimeMs } = lstatSync(at(name));
          const isFile = lstatSync(at(name)).isFile();
          const content = isFile ? ` ${mtimeMs} ${readFileSync(at(name), "utf8")}` : "";
          return [name, `${mode.toString(8)} ${uid}${content}`];
        }),
      );
    },
    setup: (args, { stdin = "", through = [], env = {} } = {}) =>
      runProgram({ PATH: process.env.PATH, NODE_ENV: "production", ...env }, setupArguments(path, args), {
        stdin,
        through,
      }),
  };
}

/** Returns the arguments of `gatehouse setup` for another root folder. */
export function setupArguments(path: string, args: readonly string[]): string[] {
  return ["setup", "--root", path, "--service-user", SERVICE.name, ...args];
}

/** Answers as options, for an installation without mail and proxy. No other machine is asked for its address. */
export const ANSWERS = {
  "--address": "https://localhost:9",
  "--product-name": "Example & Sons",
  "--imprint": "https://www.example.com/imprint",
  "--mail": "none",
  "--proxy": "own",
  "--admin-name": "Anna Berger",
  "--admin-email": "anna.berger@example.com",
} as const;

/** Returns the options of `ANSWERS`, some of them changed. */
export function options(changes: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries({ ...ANSWERS, ...changes }).flat();
}

/** Returns the links in an output. */
export function linksIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word.includes("reset_token="));
}

/** Returns the names in a folder that are not complete files; none if it does not exist. */
export function temporaryFilesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".part")) : [];
}
