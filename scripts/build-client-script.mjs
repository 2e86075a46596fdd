import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the client script. It is not part of the Vite build, because it also runs in old browsers without module
 * support. The file name contains a content hash, so it can be cached forever.
 * @param {{ outDir?: string }} [target] folder of the assets
 * @returns {Promise<string>} the URL of the script: "/assets/client-<hash>.js"
 */
export async function buildClientScript({ outDir = join(root, "build/client/assets") } = {}) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["app/client/main.ts"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2019",
    legalComments: "none",
    plugins: [plainKeyErrors],
    write: false,
  });
  const [script] = result.outputFiles;
  if (!script) throw new Error("esbuild made no client script");
  const hash = createHash("sha256").update(script.contents).digest("base64url").slice(0, 10);
  const file = `client-${hash}.js`;
  await mkdir(outDir, { recursive: true });
  await writeFile(join(outDir, file), script.contents);
  return `/assets/${file}`;
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
