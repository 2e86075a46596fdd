// @ts-check
// Imported first by scripts that start on any Node from 18 on: if this Node is too old, runs the same script with a
// fetched one and exits with its code. Importing scripts import packages dynamically, after this.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";
import { onStop } from "./children.mjs";
import { defaultNode, fetchNode, NodeError, OLDEST_NODE } from "./node.mjs";

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  try {
    process.exit(await runAgain(await fetchNode(defaultNode(), say)));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    say(error.message);
    process.exit(1);
  }
}

/**
 * Runs this script with another Node until it exits. Children that call "node" or "npm" use that Node too.
 *
 * @param {string} node
 * @returns {Promise<number>} exit code
 */
function runAgain(node) {
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter) };
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit", env });
  // Ctrl-C in a terminal reaches the child by itself; a second signal would cut its shutdown short.
  onStop((code) => {
    if (code !== 128 + constants.signals.SIGINT || !process.stdin.isTTY) child.kill("SIGTERM");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
  });
}

/** @param {string} step */
function say(step) {
  console.error(`setup: ${step}`);
}
