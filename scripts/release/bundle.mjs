// @ts-check
// Bundles the program, its pages and their packages into JavaScript files that need no node_modules/ beyond the native ones.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { BUNDLE_OPTIONS } from "../bundle-options.mjs";
import { ROOT } from "../setup.mjs";
import { ReleaseError } from "./files.mjs";
import { LEFT_OUT, productionPackages, UNBUNDLED } from "./packages.mjs";

/** @typedef {import("esbuild").Metafile} Metafile */

/**
 * The first line of main.js: runs it with the Node of the release in service, and with the flag of main.ts. Another release
 * is run by its own: `<release>/node <release>/main.js`.
 */
const INTERPRETER = "#!/usr/lib/gatehouse/current/node $1";

/**
 * Bundles main.ts and the built pages (build/server) into a folder.
 *
 * @param {string} outdir
 */
export async function bundleProgram(outdir) {
  const { build } = await import("esbuild");
  const { metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: { main: "main.ts", pages: "build/server/index.js" },
    outdir,
    target: "node24",
    metafile: true,
    logLevel: "error",
  });
  requireKnownPackages(metafile);
  const main = join(outdir, "main.js");
  writeFileSync(main, readFileSync(main, "utf8").replace(/^#!.* (--\S+)$/m, INTERPRETER));
}

/**
 * Throws ReleaseError if the bundle loads a package that is not staged, or contains one whose licence is not collected.
 *
 * @param {Metafile} metafile
 */
function requireKnownPackages({ inputs, outputs }) {
  const staged = new Set([...UNBUNDLED, ...LEFT_OUT]);
  const missing = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !isBuiltin(path) && !staged.has(path))
    .map(({ path }) => path);
  if (missing.length > 0) {
    throw new ReleaseError(`The program loads packages that are not staged: ${missing.join(", ")}`);
  }
  const production = new Set(productionPackages());
  const unlicensed = new Set(
    Object.keys(inputs)
      .map(packageOf)
      .filter((path) => path !== null && !production.has(path)),
  );
  if (unlicensed.size > 0) {
    throw new ReleaseError(
      `The bundle contains packages that are no production packages: ${[...unlicensed].join(", ")}`,
    );
  }
}

/**
 * Returns the folder of the package that contains a file; null for files of the repository.
 *
 * @param {string} file
 */
function packageOf(file) {
  const [path] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file) ?? [];
  return path !== undefined && existsSync(join(ROOT, path)) ? path : null;
}
