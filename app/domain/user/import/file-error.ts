/** Supported encodings. Excel writes "CSV UTF-8" as utf-8 and, in German, plain "CSV" as windows-1252. */
export const ENCODINGS = ["utf-8", "windows-1252", "utf-16le"] as const;
export type ImportEncoding = (typeof ENCODINGS)[number];

/** A problem of a file as a whole. */
export type FileProblem =
  | { kind: "encoding"; encoding: ImportEncoding }
  | { kind: "json" | "json shape" | "empty" }
  | { kind: "fields"; unnamed: number[]; unknown: string[]; missing: string[]; twice: string[] }
  | { kind: "quote"; line: number }
  | { kind: "csv"; detail: string };

/** Thrown for a file that cannot be read. */
export class ImportFileError extends Error {
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(`the file cannot be read: ${problem.kind}`);
    this.name = "ImportFileError";
    this.problem = problem;
  }
}
