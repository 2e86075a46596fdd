// @ts-check
// Debian programs that some tests run: proxies, systemd-analyze, strace, sqlite3, lintian, buildah, and other browsers. Installed
// programs are used; missing ones are unpacked into .cache, without root and without starting services.
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackages } from "./apt.mjs";
import { run } from "./children.mjs";
import { isExecutable } from "./executable.mjs";

const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), ".cache");

const INDEX_TIMEOUT_MS = 2 * 60_000;

/** Packages by program, in sets. Each set is unpacked into its own folder. */
const SETS = {
  "debian-tools": {
    nginx: "nginx",
    caddy: "caddy",
    apache2: "apache2-bin",
    "systemd-analyze": "systemd",
    strace: "strace",
    sqlite3: "sqlite3",
    lynx: "lynx",
    jq: "jq",
    promtool: "prometheus",
    // Applications of docs/clients.md; what is no program is found by its path.
    python3: "python3",
    "usr/lib/python3/dist-packages/authlib/__init__.py": "python3-authlib",
    "usr/lib/python3/dist-packages/flask/__init__.py": "python3-flask",
    "usr/lib/python3/dist-packages/requests/__init__.py": "python3-requests",
    "usr/lib/apache2/modules/mod_auth_openidc.so": "libapache2-mod-auth-openidc",
  },
  "debian-lintian": { lintian: "lintian" },
  "debian-image": { buildah: "buildah" },
  // Runs the arm64 program of the release.
  "debian-emulator": { "qemu-aarch64": "qemu-user" },
  // scripts/debian-machine.mjs uses them.
  "debian-machine": { debootstrap: "debootstrap", "systemd-nspawn": "systemd-container" },
  // About 140 MB. WebKitGTK needs a display, and proot maps unpacked files to the paths where it expects them.
  "debian-browsers": {
    "firefox-esr": "firefox-esr",
    WebKitWebDriver: "webkit2gtk-driver",
    Xvfb: "xvfb",
    proot: "proot",
  },
};

/** The packages of Debian that the image needs: Node's libraries, and the programs of its instructions. */
const BASE_PACKAGES = ["libc6", "libgcc-s1", "libstdc++6", "dash", "coreutils"];
/** Libraries of coreutils. */
const BASE_LIBRARIES = ["libacl1", "libattr1", "libselinux1", "libpcre2-8-0", "libgmp10"];

/** A small Debian in place of the image's base, for tests: that one is in a registry only. */
export const DEBIAN_BASE = join(CACHE, "debian-base/root");

/** The libraries of Node for arm64, in which the emulator runs the release. */
export const ARM64_LIBRARIES = join(CACHE, "debian-arm64/root");

/** @typedef {keyof typeof SETS} SetName */
/** @typedef {keyof typeof SETS["debian-tools"] | keyof typeof SETS["debian-browsers"] | keyof typeof SETS["debian-machine"] | "lintian" | "buildah" | "qemu-aarch64"} ToolName */

/** Folders of installed programs; PATH of ordinary users may not contain the sbin folders. */
const INSTALLED = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin", "/usr/bin", "/sbin"];

/**
 * Unpacks the missing programs of a set. Does not throw; tests that need a program report that it is missing.
 *
 * @param {SetName} set
 * @param {(step: string) => void} say
 */
export async function ensureDebianTools(set, say) {
  if (missingTools(set).length === 0 || !existsSync("/etc/debian_version")) return;
  const folder = join(CACHE, set);
  rmSync(folder, { recursive: true, force: true });
  // Computed after the removal: includes programs that had been unpacked before.
  const packages = missingPackages(set);
  say(`unpacking ${packages.join(", ")} (Debian packages)`);
  await unpackPackages({ folder, command: "install", packages });
  await finish(join(folder, "root"));
}

/**
 * Unpacks DEBIAN_BASE. Does not throw, like `ensureDebianTools`.
 *
 * @param {(step: string) => void} say
 */
export async function ensureDebianBase(say) {
  if (existsSync(join(DEBIAN_BASE, "bin/sh")) || !existsSync("/etc/debian_version")) return;
  say("unpacking a base for the image (Debian packages)");
  const packages = [...BASE_PACKAGES, ...BASE_LIBRARIES];
  await unpackPackages({ folder: dirname(DEBIAN_BASE), command: "download", packages });
}

/**
 * Unpacks ARM64_LIBRARIES. Does not throw, like `ensureDebianTools`.
 *
 * @param {(step: string) => void} say
 */
export async function ensureArm64Libraries(say) {
  if (existsSync(join(ARM64_LIBRARIES, "lib/ld-linux-aarch64.so.1")) || !existsSync("/etc/debian_version")) return;
  say("unpacking libraries for arm64 (Debian packages)");
  const packages = ["libc6", "libgcc-s1", "libstdc++6"];
  await unpackPackages({ folder: dirname(ARM64_LIBRARIES), command: "download", packages, architecture: "arm64" });
}

/**
 * Returns the packages of a set whose programs are neither installed nor unpacked.
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
 * Returns a program and its environment; null if it is neither installed nor unpacked.
 *
 * @param {ToolName} name
 * @returns {{ program: string, env: NodeJS.ProcessEnv, root: string } | null}
 */
export function findDebianTool(name) {
  return findProgram(name);
}

/**
 * Finds a program, or a file of a package by its path.
 *
 * @param {string} name
 */
function findProgram(name) {
  if (name.includes("/")) return findFile(name);
  const installed = INSTALLED.map((folder) => join(folder, name)).find(isExecutable);
  if (installed !== undefined) return { program: installed, env: process.env, root: "/" };
  const roots = Object.keys(SETS).map((set) => join(CACHE, set, "root"));
  for (const root of roots) {
    const unpacked = ["usr/sbin", "usr/bin", "bin"].map((folder) => join(root, folder, name)).find(isExecutable);
    if (unpacked === undefined) continue;
    // Firefox has newer libraries in its own folder.
    const own = dirname(realpathSync(unpacked));
    const libraries = [own, ...libraryFolders(root), process.env.LD_LIBRARY_PATH ?? ""].filter(Boolean).join(delimiter);
    return { program: unpacked, env: { ...process.env, LD_LIBRARY_PATH: libraries, ...perlEnvironment(root) }, root };
  }
  return null;
}

/** @param {string} path */
function findFile(path) {
  const roots = ["/", ...Object.keys(SETS).map((set) => join(CACHE, set, "root"))];
  const root = roots.find((folder) => existsSync(join(folder, path)));
  return root === undefined ? null : { program: join(root, path), env: process.env, root };
}

/**
 * Returns the variables that an unpacked Perl program needs: the folders of its modules, and those of programs that it runs.
 *
 * @param {string} root
 */
function perlEnvironment(root) {
  const modules = join(root, "usr/share/perl5");
  if (!existsSync(modules)) return {};
  const compiled = libraryFolders(root)
    .map((folder) => join(folder, "perl5"))
    .filter(existsSync);
  const versions = compiled.flatMap((folder) => readdirSync(folder).map((version) => join(folder, version)));
  return {
    PERL5LIB: [modules, ...versions].join(delimiter),
    PATH: [join(root, "usr/bin"), ...INSTALLED].join(delimiter),
  };
}

/**
 * Creates the indexes that an installation would create and GTK needs: GSettings schemas, MIME types, image loaders.
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
 * Returns the library folders of unpacked programs: `lib/x86_64-linux-gnu` and its subfolders.
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
