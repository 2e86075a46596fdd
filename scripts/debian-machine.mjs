// @ts-check
// Tries the package of `npm run release` on new machines: Debian trees of debootstrap, which systemd-nspawn boots with a
// network of their own. Follows README.md from `apt install` to an administrator who is signed in over https, upgrades,
// upgrades with a migration that fails, and returns. "arm64" starts the staged program for this processor with an
// emulator. It needs root, Debian's mirror, and a kernel that lets systemd-nspawn boot a machine, as few containers do;
// therefore it is not among the tests.
// npm run release && node scripts/debian-machine.mjs [bookworm] [trixie] [arm64]
import "./supported-node.mjs";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { endChildrenWhenStopped, run } from "./children.mjs";
import { ARM64_LIBRARIES, ensureArm64Libraries, ensureDebianTools, findDebianTool } from "./debian-tools.mjs";
import { ROOT } from "./setup.mjs";

const FOLDER = join(ROOT, ".cache/debian-machine");
const RELEASES = "usr/lib/gatehouse/releases";
const URL = "https://localhost";
/** The certificate of the authority that Caddy creates for localhost. */
const AUTHORITY = "var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt";
const TIMEOUT_MS = 15 * 60_000;
const BOOT_MS = 60_000;
const STOP_MS = 30_000;
const POLL_MS = 500;

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const SETUP = [
  "gatehouse setup --product-name Nordlicht --imprint https://www.example.com/imprint --mail none --proxy caddy",
  `--address ${URL} --admin-name 'Anna Berger' --admin-email anna@example.com < /dev/null`,
].join(" ");

/**
 * `network`: with the network of this machine, as apt needs it. `fails`: the command must fail; otherwise it must not.
 *
 * @typedef {{ network?: boolean, fails?: boolean }} CommandOptions
 * @typedef {{ root: string, pid: number, shell: (command: string, options?: CommandOptions) => Promise<string> }} Machine
 */

/** @param {string} suite */
async function tryOn(suite) {
  const root = await createTree(suite);
  const packages = await packVersions(root);
  const { machine, stop } = await boot(root);
  try {
    await tryPackages(machine, packages);
  } finally {
    await stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {Machine} machine
 * @param {{ first: string, next: string, failing: string }} packages
 */
async function tryPackages(machine, { first, next, failing }) {
  const { shell } = machine;
  const install = (/** @type {string} */ names) => `DEBIAN_FRONTEND=noninteractive apt-get install -y ${names}`;
  const version = async () => (await shell("systemctl is-active --quiet gatehouse && gatehouse --version")).trim();
  await shell("apt-get update", { network: true });
  await shell(install(`./${first} caddy`), { network: true });
  const [link = ""] = /^https:\S+reset_token=\S+$/m.exec(await shell(SETUP)) ?? [];
  await browse(machine, "first", link, "anna");
  done(
    "apt install of this package and of Debian's Caddy, and setup, lead to an administrator who is signed in over https",
  );

  const owners = await shell("stat -c '%a %U %n' /etc/gatehouse/* /var/lib/gatehouse/* /var/backups/gatehouse");
  const wrong = owners.trim().split("\n");
  assert.deepEqual(
    wrong.filter((line) => !/^[67]00 (root \/etc|gatehouse \/var)\//.test(line)),
    [],
  );
  assert.match(await shell("systemctl show gatehouse -p User"), /User=gatehouse/);
  done("no file of the service is root's, and other users can read none");

  assert.match(await shell(install(`./${next}`), { network: true }), /To go back, run: gatehouse rollback/);
  assert.equal(await version(), "9.0.1");
  await browse(machine, "again", URL);
  done("the next package migrates, and the administrator stays signed in");

  const failed = await shell(install(`./${failing}`), { network: true, fails: true });
  assert.match(failed, /Nothing was changed: 9\.0\.1 stays in service/);
  assert.equal(await version(), "9.0.1");
  await browse(machine, "again", URL);
  done("a package with a migration that fails leaves the former version in service");

  await shell("gatehouse user add late --display-name Late");
  assert.match(await shell("gatehouse rollback --yes"), /^ {2}late$/m);
  assert.equal(await version(), VERSION);
  done("rollback returns to the first version, and names the user who was added later");
}

/**
 * Runs the browser in the network of the machine.
 *
 * @param {Machine} machine
 * @param {string[]} args
 */
async function browse({ root, pid }, ...args) {
  const inNetwork = ["-t", String(pid), "-n", process.execPath, join(FOLDER, "browser.mjs")];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(root, AUTHORITY) };
  await must("nsenter", [...inNetwork, ...args, `${root}.cookies`], { env });
}

/**
 * Creates a copy of a new Debian, which is kept for the next time. Returns its path.
 *
 * @param {string} suite
 */
async function createTree(suite) {
  const kept = join(FOLDER, suite);
  const { program, env, root } = requireTool("debootstrap");
  if (!existsSync(kept)) {
    const own = { ...env, DEBOOTSTRAP_DIR: join(root, "usr/share/debootstrap") };
    const names = "--include=systemd,systemd-sysv,dbus,ca-certificates";
    rmSync(`${kept}.new`, { recursive: true, force: true });
    await must(program, ["--variant=minbase", names, suite, `${kept}.new`], { env: own });
    renameSync(`${kept}.new`, kept);
  }
  const tree = `${kept}.machine`;
  rmSync(tree, { recursive: true, force: true });
  await must("cp", ["-a", kept, tree]);
  copyFileSync("/etc/resolv.conf", join(tree, "etc/resolv.conf"));
  writeFileSync(join(tree, "etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
  return tree;
}

/**
 * Boots the machine.
 *
 * @param {string} root
 */
async function boot(root) {
  const { program, env } = requireTool("systemd-nspawn");
  // systemd 257 starts on control groups of version 1 only if it is asked to.
  const isOld = !existsSync("/sys/fs/cgroup/cgroup.controllers");
  const kernel = isOld ? ["systemd.unified_cgroup_hierarchy=0", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"] : [];
  const args = ["--quiet", "--register=no", "--keep-unit", "--private-network", "-D", root, "--boot", ...kernel];
  // The machine stops when this process ends, in whatever way.
  const stopped = ["--pdeathsig", "TERM", program, ...args];
  const child = spawn("setpriv", stopped, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const ended = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  };
  const deadline = performance.now() + BOOT_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const pid = firstChild(child.pid ?? 0);
    const machine = { root, pid, shell: shellOf(pid) };
    if (pid !== 0 && (await enter(pid, "systemctl is-active --quiet multi-user.target", {})).code === 0) {
      return { machine, stop };
    }
    await delay(POLL_MS);
  }
  await stop();
  throw new Error(`The machine did not start:\n${output.slice(-2_000)}`);
}

/** @param {number} pid */
function firstChild(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
  } catch {
    return 0;
  }
}

/**
 * @param {number} pid
 * @returns {Machine["shell"]}
 */
function shellOf(pid) {
  return async (command, options = {}) => {
    const { code, output } = await enter(pid, command, options);
    if ((code === 0) === (options.fails ?? false)) throw new Error(`${command} ended with ${code}:\n${output}`);
    return output;
  };
}

/**
 * Runs a command of root in the machine.
 *
 * @param {number} pid
 * @param {string} command
 * @param {CommandOptions} options
 */
function enter(pid, command, { network = false }) {
  const spaces = ["-m", "-u", "-i", "-p", ...(network ? [] : ["-n"])];
  const env = ["env", "-i", "TERM=dumb", "LANG=C.UTF-8", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"];
  const shell = [...env, "bash", "-c", `export HOME=~root; cd && ${command}`];
  return run("nsenter", ["-t", String(pid), ...spaces, ...shell], { timeoutMs: TIMEOUT_MS });
}

/**
 * Copies the package of the release to the machine, and packs two later versions with a migration each; the second fails.
 * Returns their names.
 *
 * @param {string} root
 */
async function packVersions(root) {
  const first = `gatehouse_${VERSION}_amd64.deb`;
  const built = join(ROOT, "build/release", first);
  if (!existsSync(built)) throw new Error(`${built} is missing. Run: npm run release`);
  copyFileSync(built, join(root, "root", first));
  const migrations = { "9998_next": "CREATE TABLE next_one (id text PRIMARY KEY);" };
  const failure = { ...migrations, "9999_failing": "CREATE TABLE users (id text);" };
  return {
    first,
    next: await packLater(root, "9.0.1", migrations),
    failing: await packLater(root, "9.0.2", failure),
  };
}

/**
 * @param {string} root
 * @param {string} version
 * @param {Readonly<Record<string, string>>} migrations
 */
async function packLater(root, version, migrations) {
  const staged = join(FOLDER, "staged");
  rmSync(staged, { recursive: true, force: true });
  cpSync(join(ROOT, "build/release/linux-x64"), staged, { recursive: true });
  const release = join(staged, RELEASES, version);
  renameSync(join(staged, RELEASES, VERSION), release);
  change(join(release, "package.json"), (text) => text.replace(`"${VERSION}"`, `"${version}"`));
  change(join(staged, "DEBIAN/control"), (text) => text.replace(/^Version: .*$/m, `Version: ${version}`));
  const journal = join(release, "drizzle/sqlite/meta/_journal.json");
  for (const [tag, statements] of Object.entries(migrations)) {
    change(journal, (text) => JSON.stringify({ entries: [...JSON.parse(text).entries, { tag }] }));
    writeFileSync(join(release, "drizzle/sqlite", `${tag}.sql`), statements);
  }
  rmSync(join(staged, "DEBIAN/md5sums"));
  const name = `gatehouse_${version}_amd64.deb`;
  await must("dpkg-deb", ["--root-owner-group", "-Znone", "--build", staged, join(root, "root", name)]);
  rmSync(staged, { recursive: true });
  return name;
}

/** Runs commands of the staged arm64 program, which load its Node and its native modules. */
async function tryArm64() {
  await ensureDebianTools("debian-emulator", say);
  await ensureArm64Libraries(say);
  const { program, env } = requireTool("qemu-aarch64");
  const folder = join(ROOT, "build/release/linux-arm64", RELEASES, VERSION);
  const database = join(FOLDER, "arm64.sqlite");
  rmSync(database, { force: true });
  /** @type {NodeJS.ProcessEnv} */
  const own = {
    ...{ PATH: env["PATH"], NODE_ENV: "production", DATABASE_URL: `sqlite:${database}` },
    ...{
      ISSUER: URL,
      APP_URL: URL,
      IMPRINT_URL: `${URL}/imprint`,
      SECRET_KEYS: "a secret key that only this try knows",
    },
  };
  // The libraries of the emulator are none of the program's.
  const libraries = `LD_LIBRARY_PATH=${env["LD_LIBRARY_PATH"] ?? ""}`;
  const emulator = [libraries, program, "-U", "LD_LIBRARY_PATH", "-L", ARM64_LIBRARIES, join(folder, "node")];
  const gatehouse = (/** @type {string[]} */ ...args) =>
    must("/usr/bin/env", [...emulator, join(folder, "main.js"), ...args], { env: own });
  await gatehouse("--version");
  await gatehouse("migrate");
  await gatehouse("user", "add", "anna", "--display-name", "Anna");
  const modules =
    'l=require("node:module").createRequire(process.argv[1]);l("@node-rs/argon2").hashSync("x");l("bcrypt")';
  await must("/usr/bin/env", [...emulator, "-e", modules, join(folder, "main.js")], { env: own });
  done("the arm64 program migrates a database, adds a user, and loads its native modules");
}

/**
 * @param {string} file
 * @param {(text: string) => string} replace
 */
function change(file, replace) {
  writeFileSync(file, replace(readFileSync(file, "utf8")));
}

/** Bundles the browser, which uses the steps of the tests. */
async function bundleBrowser() {
  const { build } = await import("esbuild");
  await build({
    ...{ entryPoints: [join(ROOT, "scripts/debian-machine/browser.ts")], outfile: join(FOLDER, "browser.mjs") },
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "warning" },
  });
}

/** @param {"debootstrap" | "systemd-nspawn" | "qemu-aarch64"} name */
function requireTool(name) {
  const tool = findDebianTool(name);
  if (tool === null) throw new Error(`${name} is not installed, and could not be unpacked.`);
  return tool;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} options
 */
async function must(program, args, options = {}) {
  const { code, output } = await run(program, args, { ...options, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output.trim()}`);
}

/** @param {string} step */
function say(step) {
  console.error(`debian-machine: ${step}`);
}

/** @param {string} text */
function done(text) {
  console.log(`✓ ${text}`);
}

endChildrenWhenStopped();
if (process.getuid?.() !== 0) throw new Error("Only root can boot a machine.");
mkdirSync(FOLDER, { recursive: true });
await ensureDebianTools("debian-machine", say);
await bundleBrowser();
const suites = process.argv.slice(2);
for (const suite of suites.length > 0 ? suites : ["bookworm", "trixie", "arm64"]) {
  console.log(suite);
  await (suite === "arm64" ? tryArm64() : tryOn(suite));
}
