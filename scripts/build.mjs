// @ts-check
// Builds build/ for production: the pages (Remix), the client script and the program. Does nothing if the inputs have
// not changed.
import "./supported-node.mjs";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync, constants as zlib } from "node:zlib";
import { BUNDLE_OPTIONS } from "./bundle-options.mjs";
import { endChildren, endChildrenWhenStopped, runNode } from "./children.mjs";
import { ROOT } from "./setup.mjs";

const OUT = join(ROOT, "build");
const STAMP = join(OUT, ".stamp");
const PAGES_TIMEOUT_MS = 5 * 60_000;

/** Inputs of the build; folders include all their files. */
const INPUTS = [
  "app",
  "demo",
  "locales",
  "public",
  "main.ts",
  "package.json",
  "package-lock.json",
  "remix.config.js",
  "scripts/build.mjs",
  "scripts/bundle-options.mjs",
  "scripts/build-client-script.mjs",
  "tsconfig.json",
  "vite.config.ts",
];

/** Outputs that must exist for the stamp to be valid. */
const OUTPUTS = ["main.js", "demo.js", "pages.js", "client-script.txt", "client/assets"];

/** Smaller files are not worth compressing. */
const COMPRESS_MIN_BYTES = 250;

/** A build that failed, with what the tool printed. */
export class BuildError extends Error {}

/**
 * Builds build/ if its inputs have changed. Throws BuildError.
 *
 * @param {() => void} [announce] called before the first step, if there is something to build
 * @returns {Promise<"built" | "unchanged">}
 */
export async function build(announce) {
  const hash = hashInputs();
  if (isCurrent(hash)) return "unchanged";
  announce?.();
  // An interrupted build has no stamp and is not reused.
  rmSync(STAMP, { force: true });
  // Sequential, because Remix empties the folder first.
  await buildPages();
  await buildProgram();
  const { buildClientScript } = await import("./build-client-script.mjs");
  const url = await buildClientScript({ outDir: join(OUT, "client/assets") });
  writeFileSync(join(OUT, "client-script.txt"), `${url}\n`);
  compress(join(OUT, "client"));
  writeFileSync(STAMP, hash);
  return "built";
}

/** @param {string} hash */
function isCurrent(hash) {
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== hash) return false;
  return OUTPUTS.every((path) => existsSync(join(OUT, path)));
}

function hashInputs() {
  const hash = createHash("sha256");
  for (const file of INPUTS.flatMap((input) => filesUnder(join(ROOT, input)))) {
    const content = readFileSync(file);
    hash.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

async function buildPages() {
  const { code, output } = await runNode(join(ROOT, "node_modules/@remix-run/dev/dist/cli.js"), ["vite:build"], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: "production" },
    timeoutMs: PAGES_TIMEOUT_MS,
  });
  if (code !== 0) throw new BuildError(`The pages do not build (remix vite:build):\n${output.trim()}`);
}

async function buildProgram() {
  const { build: bundle } = await import("esbuild");
  try {
    await bundle({
      ...BUNDLE_OPTIONS,
      // In one build, so that modules which program and pages share become chunks and exist once. The benchmark imports
      // the last one.
      entryPoints: {
        main: "main.ts",
        demo: "demo/main.ts",
        pages: "build/server/index.js",
        instrumentation: "app/domain/audit/instrumentation.server.ts",
      },
      outdir: OUT,
      target: "node22",
      sourcemap: true,
      logLevel: "silent",
    });
  } catch (error) {
    throw new BuildError(`The program does not build (esbuild):\n${error instanceof Error ? error.message : error}`);
  }
  for (const program of ["main.js", "demo.js"]) chmodSync(join(OUT, program), 0o755);
}

/**
 * Writes a gzip copy of each script and style sheet, at the highest level.
 *
 * @param {string} folder
 */
function compress(folder) {
  for (const file of filesUnder(folder).filter((name) => /\.(css|js)$/.test(name))) {
    const content = readFileSync(file);
    if (content.length < COMPRESS_MIN_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(content, { level: zlib.Z_BEST_COMPRESSION }));
  }
}

/**
 * Returns all files under a path, sorted.
 *
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

async function main() {
  endChildrenWhenStopped();
  try {
    const outcome = await build();
    console.error(outcome === "built" ? "build: done" : "build: nothing changed");
  } catch (error) {
    await endChildren();
    if (!(error instanceof BuildError)) throw error;
    console.error(`build: ${error.message}`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
