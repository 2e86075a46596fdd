// @ts-check
// `npm run demo`: installs, builds and runs Gatehouse with a demo application.
import "./supported-node.mjs";
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { BuildError, build } from "./build.mjs";
import { endChildren, endChildrenWhenStopped, onStop } from "./children.mjs";
import { ensurePackages, ROOT, SetupError } from "./setup.mjs";

/** Time for the demo to stop by itself: Ctrl-C in a terminal reaches it too. */
const STOPPING_MS = 1_000;

/** @param {string[]} args options of the demo */
async function main(args) {
  const stopWatching = endChildrenWhenStopped();
  await ensurePackages();
  await build(() => console.error("demo: building, a moment please"));
  stopWatching();
  process.exitCode = await serve(args);
}

/**
 * Runs the demo until it exits or this script is stopped.
 *
 * @param {string[]} args
 * @returns {Promise<number>} exit code; 0 if this script was stopped
 */
function serve(args) {
  // Through its first line, which sets the flags of the heap, with this Node.
  const path = [dirname(process.execPath), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(join(ROOT, "build/demo.js"), args, {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
    stdio: "inherit",
  });
  /** @type {NodeJS.Timeout | null} */
  let killTimer = null;
  onStop(() => {
    // The terminal may have sent the signal to the child too; a second one would kill it before it has stopped.
    killTimer ??= setTimeout(() => child.kill("SIGTERM"), STOPPING_MS);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (killTimer !== null) clearTimeout(killTimer);
      resolve(killTimer === null ? (code ?? 1) : 0);
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
