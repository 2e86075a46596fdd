/** Exit codes of the command; scripts depend on these numbers. */
export const EXIT = { ok: 0, failed: 1, usage: 2, configuration: 3, notFound: 4, refused: 5 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command without success. `lines` are printed on standard error; none if the output already contains the result. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, lines: readonly string[] = []) {
    super(lines[0] ?? "command ended without success");
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.lines = lines;
  }
}
