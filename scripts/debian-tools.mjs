// @ts-check
// Programs of Debian that some tests run for real: the proxies, the examiner of systemd's units, what makes a disk fail and
// what reads SQLite's files; and the browsers of other makers. What is installed is taken; what is not is unpacked into
// .cache, without root and without starting a service that would hold a port.
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackages } from "./apt.mjs";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache");

const INDEX_TIMEOUT_MS = 2 * 60_000;

/** What is got together, each set in a folder of its own: the package of each program. */
const SETS = {
  "debian-tools": {
    nginx: "nginx",
    apache2: "apache2-bin",
    "systemd-analyze": "systemd",
    strace: "strace",
    sqlite3: "sqlite3",
  },
  // About 140 MB, which only the tests in browsers need. WebKitGTK draws on a display, and proot shows it unpacked files
  // where it expects them.
  "debian-browsers": {
    "firefox-esr": "firefox-esr",
    WebKitWebDriver: "webkit2gtk-driver",
    Xvfb: "xvfb",
    proot: "proot",
  },
};

/** @typedef {keyof typeof SETS} SetName */
/** @typedef {keyof typeof SETS["debian-tools"] | keyof typeof SETS["debian-browsers"]} ToolName */

/** Not every person's PATH names the folders of what administrators run. */
const INSTALLED = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin", "/usr/bin", "/sbin"];

/**
 * Gets the programs of a set that are not there. It does not throw: the tests that need one say what is missing.
 *
 * @param {SetName} set
 * @param {(step: string) => void} say
 */
export async function ensureDebianTools(set, say) {
  if (missingTools(set).length === 0 || !existsSync("/etc/debian_version")) return;
  const folder = join(CACHE, set);
  rmSync(folder, { recursive: true, force: true });
  // Now those too that were unpacked before this list grew.
  const packages = missingPackages(set);
  say(`unpacking ${packages.join(", ")} (Debian packages)`);
  await unpackPackages({ folder, command: "install", packages });
  await finish(join(folder, "root"));
}

/**
 * The packages of a set whose programs are neither installed nor unpacked.
 *
 * @param {SetName} set
 */
export function missingPackages(set) {
  return missingTools(set).map(([, name]) => name);
}

/** @param {SetName} set */
function missingTools(set) {
  return Object.entries(SETS[set]).filter(([name]) => findProgram(name) === null);
}

/**
 * A program and the environment to run it in; null when it is neither installed nor unpacked.
 *
 * @param {ToolName} name
 * @returns {{ program: string, env: NodeJS.ProcessEnv, root: string } | null}
 */
export function findDebianTool(name) {
  return findProgram(name);
}

/** @param {string} name */
function findProgram(name) {
  const installed = INSTALLED.map((folder) => join(folder, name)).find(isExecutable);
  if (installed !== undefined) return { program: installed, env: process.env, root: "/" };
  const roots = Object.keys(SETS).map((set) => join(CACHE, set, "root"));
  for (const root of roots) {
    const unpacked = ["usr/sbin", "usr/bin", "bin"].map((folder) => join(root, folder, name)).find(isExecutable);
    if (unpacked === undefined) continue;
    // Firefox brings newer libraries of its own, beside its program.
    const own = dirname(realpathSync(unpacked));
    const libraries = [own, ...libraryFolders(root), process.env.LD_LIBRARY_PATH ?? ""].filter(Boolean).join(delimiter);
    return { program: unpacked, env: { ...process.env, LD_LIBRARY_PATH: libraries }, root };
  }
  return null;
}

/**
 * Makes the indexes that installing would have made, and without which GTK does not start: settings, kinds of files,
 * formats of pictures. What is installed on the system has its own.
 *
 * @param {string} root
 */
async function finish(root) {
  const [libraries = ""] = libraryFolders(root);
  const schemas = join(root, "usr/share/glib-2.0/schemas");
  const loaders = join(libraries, "gdk-pixbuf-2.0");
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraryFolders(root).join(delimiter),
    GDK_PIXBUF_MODULEDIR: join(loaders, "2.10.0/loaders"),
    GDK_PIXBUF_MODULE_FILE: join(loaders, "2.10.0/loaders.cache"),
  };
  const commands = [
    [join(libraries, "glib-2.0/glib-compile-schemas"), schemas],
    [join(root, "usr/bin/update-mime-database"), join(root, "usr/share/mime")],
    [join(loaders, "gdk-pixbuf-query-loaders"), "--update-cache"],
  ];
  for (const [program = "", ...args] of commands) {
    if (isExecutable(program)) await run(program, args, { env, timeoutMs: INDEX_TIMEOUT_MS });
  }
}

/**
 * Where unpacked programs find their libraries: `lib/x86_64-linux-gnu` and what is beneath it.
 *
 * @param {string} root
 */
function libraryFolders(root) {
  const found = [];
  for (const lib of ["usr/lib", "lib"]) {
    const folder = join(root, lib);
    if (!existsSync(folder)) continue;
    for (const triple of readdirSync(folder).filter((name) => name.endsWith("-linux-gnu"))) {
      found.push(join(folder, triple), join(folder, triple, "systemd"), join(folder, triple, "pulseaudio"));
    }
  }
  return found;
}
