// @ts-check
import { LEFT_OUT, UNBUNDLED } from "./release/packages.mjs";
import { ROOT } from "./setup.mjs";

/** CommonJS packages in the bundle load modules of Node by `require`, which ES modules lack. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

/**
 * esbuild's options for the program, its pages and their packages, in the build and in a release. The packages are in
 * the bundle, because Node needs half a second of processor time to find and read their 1,500 files.
 *
 * @type {import("esbuild").BuildOptions}
 */
export const BUNDLE_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  // Modules that are shared or imported dynamically become chunks: they exist once, and start-up reads only what it needs.
  splitting: true,
  chunkNames: "[name]-[hash]",
  format: "esm",
  platform: "node",
  jsx: "automatic",
  external: [...UNBUNDLED, ...LEFT_OUT],
  // oidc-provider stores names of classes and compares them; esbuild renames classes of equal names.
  keepNames: true,
  // Leaves the development build of React out.
  define: { "process.env.NODE_ENV": '"production"' },
  logOverride: { "assign-to-define": "silent" },
  banner: { js: REQUIRE },
};
