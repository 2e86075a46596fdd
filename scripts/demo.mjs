// @ts-check
// `npm run demo`: from a fresh clone to Gatehouse and a small application that one can sign in to.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { BuildError, build } from "./build.mjs";
import { endChildren, endChildrenWhenStopped, onToldToStop } from "./children.mjs";
import { ensurePackages, ROOT, SetupError } from "./setup.mjs";

/** How long the demo may take to stop by itself. Ctrl-C in a terminal reaches it as it reaches this script. */
const STOPPING_MS = 1_000;

/** @param {string[]} args handed on to `gatehouse demo` */
async function main(args) {
  const stopWatching = endChildrenWhenStopped();
  await ensurePackages();
  await build(() => console.error("demo: building, a moment please"));
  stopWatching();
  process.exitCode = await serve(args);
}

/**
 * Runs the demo until it ends or this script is told to stop.
 *
 * @param {string[]} args
 * @returns {Promise<number>} its exit code; 0 when it was told to stop
 */
function serve(args) {
  const child = spawn(process.execPath, [join(ROOT, "build/main.js"), "demo", ...args], {
    cwd: ROOT,
    stdio: "inherit",
  });
  /** @type {NodeJS.Timeout | null} */
  let patience = null;
  onToldToStop(() => {
    // The child may have got the same signal, from the terminal: a second one would end it before it is done.
    patience ??= setTimeout(() => child.kill("SIGTERM"), STOPPING_MS);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (patience !== null) clearTimeout(patience);
      resolve(patience === null ? (code ?? 1) : 0);
    });
  });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  await endChildren();
  const isKnown = error instanceof SetupError || error instanceof BuildError;
  console.error(`demo: ${isKnown ? error.message : error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
