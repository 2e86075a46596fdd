import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import type { Ended } from "#tests/http/crash/command.ts";
import { count } from "#tests/support/counts.ts";
import { dialects } from "#tests/support/databases.ts";
import { freePort } from "#tests/support/free-port.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";

/** Migrations by name, with their statements. */
type Migrations = Readonly<Record<string, string>>;

/** A folder into which dpkg installs packages of Gatehouse; a script in place of systemctl runs its service. */
export type DebianTree = {
  root: string;
  url: string;
  /** Environment of the service, e.g. for `administer`. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** Builds a package of this version, with further migrations, and returns its path. `serves`: false if it cannot start. */
  pack(version: string, migrations?: Migrations, options?: { serves: boolean }): string;
  dpkg(...args: string[]): Promise<Ended>;
  /** Runs /usr/bin/gatehouse of the tree. */
  gatehouse(...args: string[]): Promise<Ended>;
  /** Runs a program with the environment in which dpkg runs the scripts of packages. */
  run(program: string, args: readonly string[], cwd?: string): Promise<Ended>;
  systemctl(verb: "start" | "stop"): Promise<void>;
  /** Waits until the service is ready, and returns its version. */
  servedVersion(): Promise<string>;
  /** Id of the service's process. */
  pid(): number;
  log(): string;
  remove(): Promise<void>;
};

const FOLDERS = [
  "run/systemd/system",
  "etc/gatehouse",
  "var/lib/gatehouse",
  "var/backups/gatehouse",
  "bin",
  "packages",
];

/** The line that the server of a package that cannot start writes to its log. */
export const SERVE_FAILURE = "the server of this release cannot start";

const SECRET_KEYS = "a secret key that only the tests know";

type TreeOptions = {
  /** Of a PostgreSQL database; default: a new SQLite file. */
  databaseUrl?: string | undefined;
  /** The program, with arguments, that runs the command as the user of the service; default: none, the user stays. */
  asService?: readonly string[];
};

/** Creates the tree with a configuration. */
export async function createDebianTree({ databaseUrl, asService = [] }: TreeOptions = {}): Promise<DebianTree> {
  const root = mkdtempSync(join(tmpdir(), "gatehouse-tree-"));
  for (const folder of [...FOLDERS, "var/lib/dpkg/info", "var/lib/dpkg/updates"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, "var/lib/dpkg/status"), "");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const settings = {
    ISSUER: url,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: databaseUrl ?? `sqlite:${join(root, "var/lib/gatehouse/gatehouse.sqlite")}`,
    BACKUP_DIR: join(root, "var/backups/gatehouse"),
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}="${value}"\n`);
  writeFileSync(join(root, "etc/gatehouse/gatehouse.env"), lines.join(""));
  writeFileSync(join(root, "etc/gatehouse/secret-keys"), SECRET_KEYS);
  writePrograms(root);
  const scriptEnv = {
    PATH: `${join(root, "bin")}:${process.env.PATH}:/usr/sbin:/sbin`,
    NODE_ENV: "production" as const,
    DPKG_ROOT: root,
  };

  async function run(program: string, args: readonly string[], cwd = root): Promise<Ended> {
    count("processes");
    const child = spawn(program, args, { env: scriptEnv, cwd, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    }
    // "close" would not come: a server that the program started keeps the pipes of its log open.
    await once(child, "close");
    return { code: child.exitCode ?? 1, ...output };
  }

  const text = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8").trim() : "");
  const systemctl = async (verb: "start" | "stop") => {
    const { code, stderr } = await run(join(root, "bin/systemctl"), [verb, "gatehouse.service"]);
    if (code !== 0) throw new Error(`systemctl ${verb}: ${stderr}`);
  };
  return {
    root,
    url,
    env: { ...settings, SECRET_KEYS, NODE_ENV: "production" },
    pack: (version, migrations = {}, { serves } = { serves: true }) =>
      pack({ root, asService }, version, { migrations, serves }),
    dpkg: (...args) => {
      const forced = ["--force-script-chrootless", "--force-not-root", "--force-bad-path", "--force-unsafe-io"];
      return run("dpkg", [`--root=${root}`, ...forced, ...args]);
    },
    gatehouse: (...args) => run(join(root, "usr/bin/gatehouse"), args),
    run,
    systemctl,
    async servedVersion() {
      await vi.waitFor(async () => (await fetch(`${url}/readyz`)).ok || Promise.reject(new Error(text("run/log"))), {
        timeout: 120_000,
        interval: 50,
      });
      return text("run/release").replace(/^kept\/(.*)-.*$/, "$1");
    },
    pid: () => Number(text("run/pid")),
    log: () => text("run/log"),
    async remove() {
      await systemctl("stop");
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Programs that the scripts of the package run, and which would change the machine of the tests. */
function writePrograms(root: string): void {
  const programs = {
    "systemd-sysusers": "exit 0",
    "systemd-tmpfiles": "exit 0",
    // Writes the files of all other programs as well.
    sync: "exit 0",
    "deb-systemd-invoke": 'exec systemctl "$@"',
    journalctl: `tail --lines=20 ${root}/run/log`,
    systemctl: `pid=$(cat ${root}/run/pid 2>/dev/null || echo 0)
runs() { [ -d /proc/$pid ] && ! grep -q '^State:.*[ZX] (' /proc/$pid/status; }
case "$1" in
  is-active) runs ;;
  show) if runs; then echo active; else echo failed; fi ;;
  stop) if runs; then kill $pid; while runs; do sleep 0.02; done; fi ;;
  start)
    if runs; then exit 0; fi
    readlink ${root}/usr/lib/gatehouse/current > ${root}/run/release
    # The terminal of the command may close before setsid runs, and would end the service: the copy of this shell ignores
    # that from its first moment, because this shell does.
    trap '' HUP
    env -u GATEHOUSE_RELEASE setsid ${root}/usr/bin/gatehouse serve >> ${root}/run/log 2>&1 < /dev/null &
    echo $! > ${root}/run/pid ;;
esac`,
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(root, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(root, "bin", name), 0o755);
  }
}

type PackTarget = { root: string; asService: readonly string[] };

/** Packs the built program and the scripts of the product. Node and the packages are links, to save time. */
function pack(
  { root, asService }: PackTarget,
  version: string,
  { migrations, serves }: { migrations: Migrations; serves: boolean },
): string {
  const staged = join(root, "packages", version);
  const release = join(staged, "usr/lib/gatehouse/releases", version);
  cpSync(join(ROOT, "build"), release, { recursive: true, filter: (path) => !path.includes("/build/release") });
  cpSync(join(ROOT, "drizzle"), join(release, "drizzle"), { recursive: true });
  cpSync(join(ROOT, "deploy"), join(release, "deploy"), { recursive: true });
  for (const [name, statements] of Object.entries(migrations)) addMigration(join(release, "drizzle"), name, statements);
  if (!serves) letServeFail(join(release, "main.js"));
  writeFileSync(join(release, "package.json"), JSON.stringify({ version, releaseDate: "2026-11-27", type: "module" }));
  symlinkSync(join(ROOT, "node_modules"), join(release, "node_modules"));
  symlinkSync(process.execPath, join(release, "node"));
  mkdirSync(join(staged, "usr/bin"));
  const command = readText("deploy/gatehouse.sh")
    .replaceAll("/etc/gatehouse", join(root, "etc/gatehouse"))
    .replaceAll("/usr/lib/gatehouse", join(root, "usr/lib/gatehouse"))
    .replace(/setpriv .*--init-groups /, asService.map((word) => `${word} `).join(""));
  writeFileSync(join(staged, "usr/bin/gatehouse"), command);
  chmodSync(join(staged, "usr/bin/gatehouse"), 0o755);
  cpSync(join(ROOT, "deploy/debian"), join(staged, "DEBIAN"), {
    recursive: true,
    filter: (path) => /debian$|(pre|post)(inst|rm)$/.test(path),
  });
  const fields = { Package: "gatehouse", Version: version, Architecture: "all", Maintainer: "x <x@example.com>" };
  const control = Object.entries({ ...fields, Description: "test" }).map(([key, value]) => `${key}: ${value}\n`);
  writeFileSync(join(staged, "DEBIAN/control"), control.join(""));
  const file = `${staged}.deb`;
  execFileSync("dpkg-deb", ["--root-owner-group", "-Znone", "--build", staged, file], { stdio: "ignore" });
  rmSync(staged, { recursive: true });
  return file;
}

function letServeFail(program: string): void {
  const failure = `if (process.argv[2] === "serve") { console.error(${JSON.stringify(SERVE_FAILURE)}); process.exit(5); }`;
  writeFileSync(program, readFileSync(program, "utf8").replace(/^#!.*$/m, `$&\n${failure}`));
}

function addMigration(folder: string, name: string, statements: string): void {
  for (const dialect of dialects) {
    const journal = join(folder, dialect, "meta/_journal.json");
    const { entries } = JSON.parse(readFileSync(journal, "utf8"));
    writeFileSync(journal, JSON.stringify({ entries: [...entries, { tag: name }] }));
    writeFileSync(join(folder, dialect, `${name}.sql`), statements);
  }
}
