import { toWire } from "./json.ts";
import type { Streams } from "./streams.server.ts";

/** Where a command speaks: what was asked for goes to standard output, all else to standard error. */
export type Output = {
  /** The answer, one JSON value. */
  json(value: unknown): void;
  /** The answer, for people. */
  lines(lines: readonly string[]): void;
  /** A remark beside the answer. */
  note(text: string): void;
  /** What went wrong, and in further lines what to do about it. */
  problem(lines: readonly string[]): void;
};

/** Speaks through these streams. Red only on a terminal that wants colour (no-color.org). */
export function createOutput(streams: Streams, env: Record<string, string | undefined>): Output {
  const { stdout, stderr } = streams;
  const wantsColour = stderr.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const mark = wantsColour ? "\u001b[31merror:\u001b[0m" : "error:";
  return {
    json: (value) => stdout.write(`${JSON.stringify(toWire(value), null, 2)}\n`),
    lines: (lines) => stdout.write(lines.map((line) => `${line}\n`).join("")),
    note: (text) => stderr.write(`${text}\n`),
    problem: (lines) => stderr.write(`${mark} ${lines.join("\n")}\n`),
  };
}
