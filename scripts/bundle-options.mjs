// @ts-check
import { readFileSync } from "node:fs";
import { LEFT_OUT, UNBUNDLED } from "./release/packages.mjs";
import { ROOT } from "./setup.mjs";

/** CommonJS packages in the bundle load modules of Node by `require`, which ES modules lack. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

/**
 * Files whose names of classes are stored or compared at run time: records and errors of oidc-provider, and the types that
 * @peculiar/asn1-schema compares. esbuild renames classes of equal names.
 */
const COMPARED_NAMES =
  /[\\/](oidc-provider[\\/]lib[\\/](models[\\/]\w+|helpers[\\/](errors|re_render_errors))|asn1js[\\/]build[\\/]index[.\w]*)\.js$/;

/**
 * Applies `keepNames` to these files alone. For the whole bundle it calls a function for each function that is created,
 * also during requests (decision 098).
 *
 * @type {import("esbuild").Plugin}
 */
const keepComparedNames = {
  name: "keep-compared-names",
  setup(build) {
    build.onLoad({ filter: COMPARED_NAMES }, async ({ path }) => {
      // On demand: `npm run demo` and `npm test` load this file before they install the packages.
      const { transform } = await import("esbuild");
      const { code } = await transform(readFileSync(path, "utf8"), { keepNames: true, sourcefile: path });
      return { contents: code, loader: "js" };
    });
  },
};

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
  plugins: [keepComparedNames],
  // Leaves the development build of React out.
  define: { "process.env.NODE_ENV": '"production"' },
  logOverride: { "assign-to-define": "silent" },
  banner: { js: REQUIRE },
};
