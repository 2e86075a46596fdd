import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the small script of the pages that do not hydrate. It has its own entry, because Vite hands out a `.ts` file
 * asked for by URL untouched. The content is in the file's name, so it may be cached for ever.
 * @param {{ outDir?: string, manifestFile?: string }} [target] where the assets go, and the file that names them
 * @returns {Promise<Record<string, string>>} the manifest: `{ "enhance.js": "/assets/enhance-<hash>.js" }`
 */
export async function buildEnhance({
  outDir = join(root, "build/client/assets"),
  manifestFile = join(root, "build/enhance.json"),
} = {}) {
  const code = await bundle();
  const hash = createHash("sha256").update(code).digest("base64url").slice(0, 10);
  const name = `enhance-${hash}.js`;
  const manifest = { "enhance.js": `/assets/${name}` };
  await mkdir(outDir, { recursive: true });
  await mkdir(dirname(manifestFile), { recursive: true });
  await writeFile(join(outDir, name), code);
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function bundle() {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["app/enhance/main.ts"],
    bundle: true,
    minify: true,
    // A script for every browser in the office, module or not.
    format: "iife",
    target: "es2019",
    legalComments: "none",
    write: false,
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error("esbuild made no output for app/enhance/main.ts");
  return file.contents;
}
