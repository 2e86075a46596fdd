// @ts-check
// The licences of all that a release contains, in one text.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup.mjs";
import { ReleaseError } from "./files.mjs";
import { productionPackages } from "./packages.mjs";

/** Development packages of which the release contains something: helper functions of the bundlers, and a list of words. */
const FROM_DEVELOPMENT = ["@zxcvbn-ts/language-common", "esbuild", "rollup", "vite"];

const RULE = "=".repeat(80);

/** @typedef {{ name: string, version: string, licence: string, author: string, text: string }} Licensed */

/**
 * Returns the text: Gatehouse, Node, and all packages that the bundles are made of.
 *
 * @param {{ nodeVersion: string, nodeLicence: string }} node
 */
export function collectLicences({ nodeVersion, nodeLicence }) {
  const paths = [...productionPackages(), ...FROM_DEVELOPMENT.map((name) => `node_modules/${name}`)];
  const packages = paths.map(readPackage);
  const sections = [
    section("Gatehouse", readFileSync(join(ROOT, "LICENSE"), "utf8")),
    section(`Node.js ${nodeVersion}`, nodeLicence),
    ...packages.map((entry) => section(titleOf(entry), entry.text || standardText(entry, packages))),
  ];
  const about =
    "This file contains the licences of Gatehouse and of everything that its package contains.\n" +
    "better-sqlite3 contains SQLite, which is in the public domain.\n";
  // Two copies of one version have the same section.
  return [about, ...new Set(sections)].join("\n");
}

/**
 * @param {string} path
 * @returns {Licensed}
 */
function readPackage(path) {
  const folder = join(ROOT, path);
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"));
  return {
    name,
    version,
    licence: license ?? "see its text",
    author: typeof author === "object" ? (author?.name ?? "") : author,
    text: texts.join("\n"),
  };
}

/** @param {Licensed} entry */
function titleOf({ name, version, licence }) {
  return `${name} ${version} (${licence})`;
}

/**
 * @param {string} title
 * @param {string} text
 */
function section(title, text) {
  return `${RULE}\n${title}\n${RULE}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`;
}

/**
 * Returns the text of a package without a licence file: its author, and the texts of other packages with the same licence,
 * without their copyright lines.
 *
 * @param {Licensed} entry
 * @param {readonly Licensed[]} packages
 */
function standardText({ name, licence, author }, packages) {
  const texts = licence
    .replaceAll(/[()]/g, "")
    .split(/ AND | OR /)
    .map((id) => {
      const model = packages.find((other) => other.licence === id && other.text !== "");
      if (model === undefined) throw new ReleaseError(`${name} has no licence file, and no other package has ${id}.`);
      return model.text.replaceAll(/^.*copyright (\(c\)|©|\d).*\n/gim, "");
    });
  return [`Copyright (c) ${author || `the authors of ${name}`}`, ...texts].join("\n\n");
}
