import { readFile } from "node:fs/promises";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Streams } from "#app/cli/output/output.server.ts";
import { readImportRows } from "#app/domain/user/import/file.server.ts";
import {
  ENCODINGS,
  type FileProblem,
  type ImportEncoding,
  ImportFileError,
} from "#app/domain/user/import/file-error.ts";
import { CSV_FIELDS, type RawRow } from "#app/domain/user/import/row.server.ts";

/** Reads the rows of a CSV or JSON file, or of standard input for "-". Throws CommandError. */
export async function readImportFile(streams: Streams, file: string, encoding: ImportEncoding): Promise<RawRow[]> {
  const bytes = file === "-" ? await readAll(streams.stdin) : await readNamed(file);
  try {
    return readImportRows(bytes, encoding);
  } catch (error) {
    if (error instanceof ImportFileError) throw new CommandError(EXIT.failed, linesOf(error.problem));
    throw error;
  }
}

async function readAll(stdin: Streams["stdin"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function readNamed(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") throw new CommandError(EXIT.notFound, [`File ${file} does not exist.`]);
    if (code !== "EACCES") throw error;
    throw new CommandError(EXIT.refused, [
      `File ${file} is not readable by uid ${process.getuid?.()}, as which this command runs.`,
      `Let your shell read it: gatehouse user import - < ${file}`,
    ]);
  }
}

function linesOf(problem: FileProblem): string[] {
  switch (problem.kind) {
    case "encoding":
      return [
        `The file is not valid ${problem.encoding.toUpperCase()}.`,
        `Use --encoding with one of: ${ENCODINGS.join(", ")}.`,
      ];
    case "json":
      return ["The file is not valid JSON."];
    case "json shape":
      return ["The JSON file is not an array of objects."];
    case "empty":
      return ["The file is empty."];
    case "quote":
      return [
        `Line ${problem.line}: the record that starts here has an unclosed quote (").`,
        'Close the quote, or double it ("") if it is part of the text.',
      ];
    case "csv":
      return [`The file is not valid CSV: ${problem.detail}.`];
    case "fields":
      return [
        ...problem.unnamed.map((column) => `Column ${column} of the first line has no name.`),
        ...problem.unknown.map((name) => `Unknown field "${name}".`),
        ...problem.missing.map((name) => `Missing field "${name}".`),
        ...problem.twice.map((name) => `Duplicate field "${name}".`),
        `The first line must contain field names. Known fields: ${CSV_FIELDS.join(", ")}.`,
      ];
  }
}
