// @ts-check
// Child processes of the scripts: bounded in time, ended by their own pid together with what they started.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * @typedef {{ code: number, output: string, timedOut: boolean }} Finished
 * @typedef {{ env?: NodeJS.ProcessEnv, cwd?: string, timeoutMs: number, live?: boolean }} RunOptions
 */

/** How long a child may take to end by itself after it was asked to. */
const GRACE_MS = 5_000;

/** How soon it is noticed that the process which started this one is gone. */
const PARENT_POLL_MS = 500;

/** How a person or a machine asks a program to stop. */
const STOP_SIGNALS = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/**
 * Runs a program to its end. It never throws: a program that cannot be started ends with code 127.
 * With `live` the output goes straight to the terminal, else it comes back as text.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} options
 * @returns {Promise<Finished>}
 */
export function run(program, args, { env = process.env, cwd, timeoutMs, live = false }) {
  return new Promise((resolve) => {
    // A group of its own, so that what the child starts can be ended with it.
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
 * Runs a script of an installed package with this very Node.
 *
 * @param {string} file the script, e.g. "node_modules/vitest/vitest.mjs"
 * @param {string[]} args
 * @param {RunOptions} options
 */
export function runNode(file, args, options) {
  return run(process.execPath, [file, ...args], options);
}

/** Ends every child that is still running, and what it started. */
export async function endChildren() {
  await Promise.all([...running].map(endGroup));
}

/**
 * Calls back each time this process is told to stop: by a signal, or because the npm that runs it has ended. npm hands
 * signals on to a shell in between, which ends by them without a word. Answers how to stop listening.
 *
 * @param {(exitCode: number) => void} callback gets the exit code that the reason asks for
 * @returns {() => void}
 */
export function onToldToStop(callback) {
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
 * From now on, when this process is told to stop, its children stop first. Answers how to end this.
 *
 * @returns {() => void}
 */
export function endChildrenWhenStopped() {
  return onToldToStop((exitCode) => {
    void endChildren().then(() => process.exit(exitCode));
  });
}

/** @param {import("node:child_process").ChildProcess} child */
async function endGroup(child) {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  const deadline = Date.now() + GRACE_MS;
  while (groupLives(pid) && Date.now() < deadline) await new Promise((wake) => setTimeout(wake, 50));
  signalGroup(pid, "SIGKILL");
}

/** @param {number} pid */
function groupLives(pid) {
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
    // The group is gone.
    return false;
  }
}
