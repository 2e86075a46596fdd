import type { Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { toSnakeCase } from "#app/domain/base/snake-case.ts";
import { timeText } from "./table.ts";

/** The standard streams of a process. `isTTY` is true for a terminal. */
export type Streams = {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
};

/** Prints the result of a command on standard output, and everything else on standard error. */
export type Output = {
  /** Prints the result as one JSON value. */
  json(value: unknown): void;
  /** Prints the result as text. */
  lines(lines: readonly string[]): void;
  /** Prints a note on standard error. */
  note(text: string): void;
  /** Prints an error: the problem in the first line, the solution in further lines. */
  problem(lines: readonly string[]): void;
  /** Formats a time in TIME_ZONE, to the minute or second; null as "-". */
  time(time: Date | null, unit?: "minute" | "second"): string;
};

/**
 * Creates the output for these streams. Errors are marked red on a terminal, unless NO_COLOR is set (no-color.org).
 * `timeZone` is called before a time is printed.
 */
export function createOutput(
  streams: Streams,
  env: Record<string, string | undefined>,
  timeZone: () => string,
): Output {
  const { stdout, stderr } = streams;
  const hasColour = stderr.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const mark = hasColour ? "\u001b[31merror:\u001b[0m" : "error:";
  return {
    json: (value) => stdout.write(`${JSON.stringify(toSnakeCase(value), null, 2)}\n`),
    lines: (lines) => stdout.write(lines.map((line) => `${line}\n`).join("")),
    note: (text) => stderr.write(`${text}\n`),
    problem: (lines) => stderr.write(`${mark} ${lines.join("\n")}\n`),
    time: (time, unit) => timeText(time, timeZone(), unit),
  };
}

/** Returns whether questions can be asked: standard input and standard error are terminals. */
export function isInteractive({ stdin, stderr }: Streams): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Reports the first error of standard output, such as a full disk, on standard error. Ignores EPIPE, so that
 * `gatehouse user list | head -1` is not an error, and errors of standard error, which cannot be reported. Call the
 * returned function last: it resolves to false if an error was reported. `hasChanged`: whether the command has stored
 * changes, which the report says.
 */
export function watchOutput(
  { stdout, stderr }: Streams,
  output: Output,
  hasChanged: () => boolean,
): () => Promise<boolean> {
  let isComplete = true;
  stderr.on("error", () => {});
  stdout.on("error", (error) => {
    if (!isComplete || ("code" in error && error.code === "EPIPE")) return;
    isComplete = false;
    const stored = hasChanged() ? " Changes were stored." : "";
    output.problem([`The result could not be written to standard output: ${error.message}.${stored}`]);
  });
  return async () => {
    // Writes to files are synchronous, and their errors are emitted before this. On pipes, only EPIPE is expected.
    await setImmediate();
    return isComplete;
  };
}

/**
 * Writes a chunk to standard output and waits for it, so that a slow reader does not fill the memory. Resolves to false
 * if it could not be written: the reader has closed the pipe, or the disk is full.
 */
export async function writeChunk({ stdout }: Streams, text: string): Promise<boolean> {
  if (stdout.destroyed || stdout.writableEnded) return false;
  return new Promise((resolve) => stdout.write(text, (error) => resolve(!error)));
}
