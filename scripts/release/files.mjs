// @ts-check
// Files of the staged folder: the same names, modes and times on every machine.
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A step of the release failed; the message states what to do. */
export class ReleaseError extends Error {}

/**
 * Returns the files under a folder, relative to it, sorted by their bytes.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)).map((name) => join(entry.name, name)) : [entry.name],
  );
}

/**
 * Copies files, and creates their folders.
 *
 * @param {string} from
 * @param {string} to
 * @param {readonly string[]} names relative to both folders
 */
export function copyFiles(from, to, names = filesIn(from)) {
  for (const name of names) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    copyFileSync(join(from, name), join(to, name));
  }
}

/**
 * Writes a file, and creates its folder.
 *
 * @param {string} path
 * @param {string | Uint8Array} content
 */
export function writeInto(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/**
 * Sets modes and times, which depend on the machine otherwise: 0644, and 0755 for folders and executables.
 *
 * @param {string} path
 * @param {{ isExecutable: (path: string) => boolean, epoch: number }} options epoch: seconds
 */
export function normalise(path, options) {
  const isFolder = lstatSync(path).isDirectory();
  // The content of a folder first, because changing it changes the time of the folder.
  if (isFolder) for (const name of readdirSync(path)) normalise(join(path, name), options);
  chmodSync(path, isFolder || options.isExecutable(path) ? 0o755 : 0o644);
  utimesSync(path, options.epoch, options.epoch);
}

/**
 * Returns `e_machine` of an ELF file (bytes 18 and 19 of its header); null if the file is of another kind.
 *
 * @param {string} path
 */
export function readElfMachine(path) {
  const content = readFileSync(path);
  return content.subarray(0, 4).toString("latin1") === "\x7fELF" ? content.readUInt16LE(18) : null;
}

/**
 * Returns the size in KiB as dpkg computes it: each file is rounded up, and each folder counts as one.
 *
 * @param {string} path
 * @returns {number}
 */
export function installedKib(path) {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return Math.ceil(stats.size / 1024);
  return readdirSync(path).reduce((sum, name) => sum + installedKib(join(path, name)), 1);
}
