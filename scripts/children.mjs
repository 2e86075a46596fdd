// @ts-check
// Runs child processes with a timeout and ends them together with their descendants.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * @typedef {{ code: number, output: string, timedOut: boolean }} Finished
 * @typedef {{ env?: NodeJS.ProcessEnv, cwd?: string, timeoutMs: number, live?: boolean }} RunOptions
 */

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;

/** Interval of the check whether the parent process still exists. */
const PARENT_POLL_MS = 500;

const STOP_SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/**
 * Runs a program until it exits. Never rejects: a program that cannot be started has exit code 127. With `live`, output
 * goes to the terminal; otherwise it is returned.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<Finished>}
 */
export function run(program, args, { env = process.env, cwd, timeoutMs, live = false }) {
  return new Promise((resolve) => {
    // A separate process group, so that descendants can be ended too.
    const out = live ? "inherit" : "pipe";
    const child = spawn(program, args, { env, cwd, detached: true, stdio: ["ignore", out, out] });
    running.add(child);
    let output = "";
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      output += `\n${program} took longer than ${Math.round(timeoutMs / 1000)} s and was ended.`;
      void endGroup(child).then(() => finish(124));
    }, timeoutMs);
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });

    /** @param {number} code */
    const finish = (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, output, timedOut });
    };
    child.once("error", (error) => {
      output += error.message;
      finish(127);
    });
    child.once("close", (code) => finish(code ?? 1));
  });
}

/**
 * Runs a script of an installed package with the current Node.
 *
 * @param {string} file the script, e.g. "node_modules/vitest/vitest.mjs"
 * @param {string[]} args
 * @param {RunOptions} options
 */
export function runNode(file, args, options) {
  return run(process.execPath, [file, ...args], options);
}

/** Ends all running children and their descendants. */
export async function endChildren() {
  await Promise.all([...running].map(endGroup));
}

/**
 * Calls `callback` when this process receives a stop signal or when the npm process that runs it has exited; the shell
 * between npm and this process does not forward signals. Returns a function that removes the listeners.
 *
 * @param {(exitCode: number) => void} callback receives the exit code for the signal
 * @returns {() => void}
 */
export function onStop(callback) {
  /** @param {NodeJS.Signals} _signal @param {number} number */
  const onSignal = (_signal, number) => callback(128 + number);
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);

  const parent = process.ppid;
  const isRunByNpm = process.env.npm_lifecycle_event !== undefined;
  const timer = setInterval(() => {
    if (!isRunByNpm || process.ppid === parent) return;
    clearInterval(timer);
    callback(128 + constants.signals.SIGTERM);
  }, PARENT_POLL_MS);
  timer.unref();

  return () => {
    clearInterval(timer);
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
  };
}

/**
 * Ends all children before this process exits on a stop signal. Returns a function that removes the listeners.
 *
 * @returns {() => void}
 */
export function endChildrenWhenStopped() {
  return onStop((exitCode) => {
    void endChildren().then(() => process.exit(exitCode));
  });
}

/** @param {import("node:child_process").ChildProcess} child */
async function endGroup(child) {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  const deadline = Date.now() + GRACE_MS;
  while (isGroupAlive(pid) && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, 50));
  signalGroup(pid, "SIGKILL");
}

/** @param {number} pid */
function isGroupAlive(pid) {
  return signalGroup(pid, 0);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} signal
 */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    // The process group no longer exists.
    return false;
  }
}
