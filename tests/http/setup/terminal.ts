import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Ended } from "#tests/http/crash/command.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { type NewRoot, setupArguments } from "./new-root.ts";

/** A question of setup, and the answer that is typed. */
export type Answer = readonly [question: RegExp, answer: string];

/** Runs `gatehouse setup` on a terminal. */
export async function setupOnTerminal(
  root: NewRoot,
  answers: readonly Answer[],
  args: readonly string[] = [],
): Promise<OnTerminal> {
  const words = [process.execPath, join(ROOT, "build/main.js"), ...setupArguments(root.path, args)];
  const command = words.map((word) => `'${word}'`).join(" ");
  return onTerminal(command, { answers, env: { PATH: process.env.PATH, NODE_ENV: "production" } });
}

type TerminalOptions = { answers?: readonly Answer[]; env: NodeJS.ProcessEnv; cwd?: string };

/** Exit code, and everything that the screen showed: standard output and standard error are one stream. */
export type OnTerminal = Pick<Ended, "code"> & { screen: string };

/**
 * Runs a shell command on a pseudo-terminal of script(1), and types an answer whenever its question is the last text on the
 * screen.
 */
export async function onTerminal(command: string, { answers = [], env, cwd }: TerminalOptions): Promise<OnTerminal> {
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"], {
    env: { ...env, TERM: "dumb" },
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const left = [...answers];
  let screen = "";
  let answered = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    const [question, answer] = left[0] ?? [];
    if (question === undefined || answer === undefined || !question.test(screen.slice(answered))) return;
    left.shift();
    answered = screen.length;
    child.stdin.write(`${answer}\r`);
  });
  await once(child, "close");
  child.stdin.destroy();
  return { code: child.exitCode ?? 1, screen };
}
