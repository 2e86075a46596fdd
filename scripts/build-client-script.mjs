import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Entry point of each script by file name. */
const SCRIPTS = {
  "enhance.js": "app/client/main.ts",
  "second-factor.js": "app/client/second-factor.ts",
  "own-key.js": "app/client/own-key.ts",
  "keep.js": "app/client/keep.ts",
  "new-password.js": "app/client/new-password.ts",
};

/**
 * Builds the client scripts. They are not part of the Vite build, because Vite serves a `.ts` file that is requested by
 * URL unchanged. File names contain a content hash, so they can be cached forever.
 * @param {{ outDir?: string, manifestFile?: string }} [target] folder of the assets, and path of the manifest
 * @returns {Promise<Record<string, string>>} the manifest: `{ "enhance.js": "/assets/enhance-<hash>.js", … }`
 */
export async function buildEnhance({
  outDir = join(root, "build/client/assets"),
  manifestFile = join(root, "build/enhance.json"),
} = {}) {
  /** @type {Record<string, string>} */
  const manifest = {};
  await mkdir(outDir, { recursive: true });
  await mkdir(dirname(manifestFile), { recursive: true });
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    const code = await bundle(entry);
    const hash = createHash("sha256").update(code).digest("base64url").slice(0, 10);
    const file = name.replace(/\.js$/, `-${hash}.js`);
    await writeFile(join(outDir, file), code);
    manifest[name] = `/assets/${file}`;
  }
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** @param {string} entry */
async function bundle(entry) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    // Runs in old browsers too, without module support.
    format: "iife",
    target: "es2019",
    legalComments: "none",
    plugins: [plainKeyErrors],
    write: false,
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild made no output for ${entry}`);
  return file.contents;
}

/**
 * Removes the long developer messages that @simplewebauthn/browser adds to errors; pages use the error name only.
 *
 * @type {import("esbuild").Plugin}
 */
const plainKeyErrors = {
  name: "plain key errors",
  setup({ onLoad }) {
    onLoad({ filter: /simplewebauthn.browser.*identify(Registration|Authentication)Error\.js$/ }, ({ path }) => {
      const name = /identify\w+Error/.exec(path)?.[0];
      return { contents: `export const ${name} = ({ error }) => error;` };
    });
  },
};
