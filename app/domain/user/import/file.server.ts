import { CsvError, parse } from "csv-parse/sync";
import { type ImportEncoding, ImportFileError } from "./file-error.ts";
import { CSV_FIELDS, type RawRow } from "./row.server.ts";

const REQUIRED = ["username", "display_name"];

/** In lower case. German spreadsheet programs write WAHR and FALSCH. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "1", "wahr", "ja"].map((word) => [word, true] as const),
  ...["false", "no", "0", "falsch", "nein"].map((word) => [word, false] as const),
]);

const LINE_END = /\r\n|\n|\r/;

/** A first line by which a file tells Excel its delimiter. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?(?=[\r\n])/i;

/** Reads the rows of a CSV file, or of a JSON file with an array of objects. Throws ImportFileError. */
export function readImportRows(bytes: Uint8Array, encoding: ImportEncoding): RawRow[] {
  const text = decodeText(bytes, encoding);
  // A CSV file begins with a field name, which contains no bracket.
  return /^\s*[[{]/.test(text) ? readJson(text) : rowsOfTable(readTable(text));
}

/** Decodes the text of a file, without a byte order mark. Throws ImportFileError. */
export function decodeText(bytes: Uint8Array, encoding: ImportEncoding): string {
  try {
    // Removes a byte order mark.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new ImportFileError({ kind: "encoding", encoding });
  }
}

function readJson(text: string): RawRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ImportFileError({ kind: "json" });
  }
  if (!Array.isArray(value) || !value.every(isObject)) throw new ImportFileError({ kind: "json shape" });
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

/** A CSV file: the names in its first line, and its other lines as they are. */
export type ImportTable = { fields: string[]; records: { cells: string[]; line: number }[] };

/**
 * Reads a CSV file. Its first line that is not empty contains the field names and determines the delimiter (`,`, `;` or
 * tab), unless it is preceded by `sep=;` or the like. Columns named `ignored` may be present. Throws ImportFileError.
 */
export function readTable(text: string, { ignored = [] }: { ignored?: readonly string[] } = {}): ImportTable {
  const head = /\S.*/.exec(text)?.[0] ?? "";
  const named = DELIMITER_LINE.exec(text)?.[1];
  const delimiter = named ?? [";", "\t"].find((one) => head.includes(one)) ?? ",";
  // The line end stays, so that lines are counted as in the file.
  const [names, ...records] = parseRecords(named ? text.replace(DELIMITER_LINE, "") : text, delimiter);
  if (!names) throw new ImportFileError({ kind: "empty" });
  const width = names.record.findLastIndex((name) => name.trim() !== "") + 1;
  const fields = names.record.slice(0, width).map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, "_"),
  );
  requireFields(fields, ignored);
  return { fields, records: records.map(({ record, info }) => ({ cells: record, line: info.lines })) };
}

/** Returns the rows of a table. Empty cells, also those that make up rows and columns at the end, are ignored. */
export function rowsOfTable({ fields, records }: ImportTable): RawRow[] {
  return records.map(({ cells, line }) => rowOf(fields, cells, line));
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
      throw new ImportFileError({ kind: "quote", line: firstFilledLine(text, lastLine) });
    }
    if (error instanceof CsvError) throw new ImportFileError({ kind: "csv", detail: error.message });
    throw error;
  }
}

/** Returns the number of the first non-empty line after this one. */
function firstFilledLine(text: string, after: number): number {
  const lines = text.split(LINE_END);
  const index = lines.findIndex((line, place) => place >= after && line !== "");
  return (index < 0 ? after : index) + 1;
}

function requireFields(fields: readonly string[], ignored: readonly string[]): void {
  const isKnown = (name: string) => CSV_FIELDS.includes(name) || ignored.includes(name);
  const unnamed = fields.flatMap((name, place) => (name === "" ? [place + 1] : []));
  const unknown = fields.filter((name) => name !== "" && !isKnown(name)).map((name) => name.slice(0, 40));
  const missing = REQUIRED.filter((name) => !fields.includes(name));
  const twice = fields.filter((name, place) => name !== "" && fields.indexOf(name) !== place);
  const wrong = { unnamed, unknown, missing, twice };
  if (Object.values(wrong).some(({ length }) => length > 0)) throw new ImportFileError({ kind: "fields", ...wrong });
}

function rowOf(names: readonly string[], record: readonly string[], line: number): RawRow {
  const cells = record.findLastIndex((cell) => cell.trim() !== "") + 1;
  const fields = fieldsOf(names, record);
  if (cells <= names.length) return { line, fields };
  return { line, fields, problem: `has ${cells} cells, but the first line names ${names.length} fields` };
}

function fieldsOf(names: readonly string[], record: readonly string[]): RawRow["fields"] {
  const cells = names.flatMap((name, place): [string, unknown][] => {
    const text = withoutEscape(record[place]?.trim() ?? "");
    return text === "" ? [] : [[name, cellValue(name, text)]];
  });
  return withAddress(Object.fromEntries(cells));
}

/** Removes the apostrophe by which exported tables keep spreadsheet programs from evaluating a cell as a formula. */
function withoutEscape(text: string): string {
  return text.replace(/^'(?=[=+\-@＝＋－＠])/, "");
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
