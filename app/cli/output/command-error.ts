import type { ExitCode } from "./exit-codes.ts";

/** A command that ends without success. The lines are for a person; none when the answer has said it all. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, lines: readonly string[] = []) {
    super(lines[0] ?? "the command ended without success");
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.lines = lines;
  }
}
