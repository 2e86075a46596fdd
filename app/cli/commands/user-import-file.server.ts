import { readFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse/sync";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Streams } from "#app/cli/output/output.server.ts";
import { CSV_FIELDS, type RawRow } from "#app/domain/user/import/row.server.ts";

/** Supported encodings. Excel writes "CSV UTF-8" as utf-8 and, in German, plain "CSV" as windows-1252. */
export const ENCODINGS = ["utf-8", "windows-1252", "utf-16le"] as const;
export type ImportEncoding = (typeof ENCODINGS)[number];

const REQUIRED = ["username", "display_name"];

/** In lower case. German spreadsheet programs write WAHR and FALSCH. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "1", "wahr", "ja"].map((word) => [word, true] as const),
  ...["false", "no", "0", "falsch", "nein"].map((word) => [word, false] as const),
]);

const LINE_END = /\r\n|\n|\r/;

/** A first line by which a file tells Excel its delimiter. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?(?=[\r\n])/i;

/**
 * Reads the rows of a CSV or JSON file, or of standard input for "-". The first line of CSV contains the field names and
 * determines the delimiter (`,`, `;` or tab), unless it is preceded by `sep=;` or the like. Empty cells, also those that
 * make up rows and columns at the end, and empty strings in JSON are ignored. Throws CommandError.
 */
export async function readImportFile(streams: Streams, file: string, encoding: ImportEncoding): Promise<RawRow[]> {
  const text = decode(file === "-" ? await readAll(streams.stdin) : await readNamed(file), encoding);
  // A CSV file begins with a field name, which contains no bracket.
  return /^\s*[[{]/.test(text) ? readJson(text) : readCsv(text);
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

function decode(bytes: Uint8Array, encoding: ImportEncoding): string {
  try {
    // Removes a byte order mark.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw fileError(
      `The file is not valid ${encoding.toUpperCase()}.`,
      `Use --encoding with one of: ${ENCODINGS.join(", ")}.`,
    );
  }
}

function readJson(text: string): RawRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fileError("The file is not valid JSON.");
  }
  if (!Array.isArray(value) || !value.every(isObject)) throw fileError("The JSON file is not an array of objects.");
  return value.map((fields, index) => ({ line: index + 1, fields: withoutEmpty({ ...fields }) }));
}

/** Removes empty strings, as empty cells of CSV; also those of the address, and one that contains nothing else. */
function withoutEmpty({ address, ...others }: Readonly<Record<string, unknown>>): RawRow["fields"] {
  const fields = filled(others);
  if (!isObject(address)) return address === undefined || address === "" ? fields : { ...fields, address };
  const members = filled({ ...address });
  return Object.keys(members).length > 0 ? { ...fields, address: members } : fields;
}

function filled(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readCsv(text: string): RawRow[] {
  const [head = ""] = text.split(LINE_END, 1);
  const named = DELIMITER_LINE.exec(text)?.[1];
  const delimiter = named ?? [";", "\t"].find((one) => head.includes(one)) ?? ",";
  // The line end stays, so that lines are counted as in the file.
  const [names, ...records] = parseRecords(named ? text.replace(DELIMITER_LINE, "") : text, delimiter);
  if (!names) throw fileError("The file is empty.");
  const width = names.record.findLastIndex((name) => name.trim() !== "") + 1;
  const fields = names.record.slice(0, width).map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, "_"),
  );
  requireFields(fields);
  return records.map(({ record, info }) => rowOf(fields, record, info.lines));
}

type CsvRecord = { record: string[]; info: { lines: number } };

function parseRecords(text: string, delimiter: string): CsvRecord[] {
  let lastLine = 0;
  const onRecord = <Cells>(record: Cells, { lines }: { lines: number }) => {
    lastLine = lines;
    return record;
  };
  try {
    const records: unknown = parse(text, {
      ...{ delimiter, info: true, skip_empty_lines: true, skip_records_with_empty_values: true },
      relax_column_count: true,
      on_record: onRecord,
    });
    // The types of csv-parse do not cover the option `info`, which adds the line to each record.
    return records as CsvRecord[];
  } catch (error) {
    // The parser reports the end of the file, not the record with the open quote.
    if (error instanceof CsvError && error.code === "CSV_QUOTE_NOT_CLOSED") {
      throw fileError(
        `Line ${firstFilledLine(text, lastLine)}: the record that starts here has an unclosed quote (").`,
        'Close the quote, or double it ("") if it is part of the text.',
      );
    }
    if (error instanceof CsvError) throw fileError(`The file is not valid CSV: ${error.message}.`);
    throw error;
  }
}

/** Returns the number of the first non-empty line after this one. */
function firstFilledLine(text: string, after: number): number {
  const lines = text.split(LINE_END);
  const index = lines.findIndex((line, place) => place >= after && line !== "");
  return (index < 0 ? after : index) + 1;
}

function requireFields(fields: readonly string[]): void {
  const unnamed = fields.flatMap((name, place) => (name === "" ? [place + 1] : []));
  const unknown = fields.filter((name) => name !== "" && !CSV_FIELDS.includes(name));
  const missing = REQUIRED.filter((name) => !fields.includes(name));
  const twice = fields.filter((name, place) => name !== "" && fields.indexOf(name) !== place);
  const wrong = [
    ...unnamed.map((column) => `Column ${column} of the first line has no name.`),
    ...unknown.map((name) => `Unknown field "${name.slice(0, 40)}".`),
    ...missing.map((name) => `Missing field "${name}".`),
    ...twice.map((name) => `Duplicate field "${name}".`),
  ];
  if (wrong.length > 0) {
    throw fileError(...wrong, `The first line must contain field names. Known fields: ${CSV_FIELDS.join(", ")}.`);
  }
}

function rowOf(names: readonly string[], record: readonly string[], line: number): RawRow {
  const cells = record.findLastIndex((cell) => cell.trim() !== "") + 1;
  const fields = fieldsOf(names, record);
  if (cells <= names.length) return { line, fields };
  return { line, fields, problem: `has ${cells} cells, but the first line names ${names.length} fields` };
}

function fieldsOf(names: readonly string[], record: readonly string[]): RawRow["fields"] {
  const cells = names.flatMap((name, place): [string, unknown][] => {
    const text = record[place]?.trim() ?? "";
    return text === "" ? [] : [[name, cellValue(name, text)]];
  });
  return withAddress(Object.fromEntries(cells));
}

/** Moves the cells `address.…` into one object. */
function withAddress(fields: Readonly<Record<string, unknown>>): RawRow["fields"] {
  const isMember = ([name]: [string, unknown]) => name.startsWith("address.");
  const members = Object.entries(fields).filter(isMember);
  if (members.length === 0) return fields;
  const others = Object.entries(fields).filter((field) => !isMember(field));
  const address = Object.fromEntries(members.map(([name, value]) => [name.replace("address.", ""), value]));
  return { ...Object.fromEntries(others), address };
}

function cellValue(name: string, text: string): unknown {
  if (name === "permissions") return text.split(/\s+/);
  if (name === "groups") return namesIn(text) ?? text;
  if (name === "email_verified") return BOOLEANS.get(text.toLowerCase()) ?? text;
  return text;
}

/** Parses names that are separated by ; and quoted like cells of CSV; returns null if a quote is wrong. */
function namesIn(text: string): string[] | null {
  try {
    const [names = [], ...others]: string[][] = parse(text, { delimiter: ";", trim: true });
    return others.length > 0 ? null : names.filter((name) => name !== "");
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function fileError(...lines: string[]): CommandError {
  return new CommandError(EXIT.failed, lines);
}
