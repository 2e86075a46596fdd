import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import type { Store } from "#app/db/store.server.ts";
import { type ImportTable, readTable, rowsOfTable } from "./file.server.ts";
import { type PlannedRow, planImport } from "./plan.server.ts";
import type { RawRow, RowProblem } from "./row.server.ts";

/** Rows of a file that a page imports: an import of more belongs to the command, which shows its progress. */
export const MAX_ROWS_ON_PAGE = 5_000;

/** Column of a downloaded table with errors; a table that is uploaded again may contain it. */
const ERROR_COLUMN = "error";

/** Columns of the downloaded list of people that an import does not change; an edited list may contain them. */
export const LIST_COLUMNS = ["role", "invited_until", "last_signed_in_at", "last_day"] as const;

/** Status of an invited user in the downloaded list; an import does not change it. */
export const INVITED_STATUS = "invited";

const IGNORED: readonly string[] = [ERROR_COLUMN, ...LIST_COLUMNS];

/**
 * The plan of the import of a table. `rows` have no problems and are imported, those of `problems` are left out.
 * `seen`: fingerprint of what happens to whom; another one means that the database has changed since.
 */
export type ImportPreview = {
  table: ImportTable;
  rows: PlannedRow[];
  problems: RowProblem[];
  counts: Record<"invited" | "added" | "changed" | "unchanged", number>;
  seen: string;
};

/** Reads a table that a page received. Throws ImportFileError. */
export function readPageTable(text: string): ImportTable {
  return readTable(text, { ignored: IGNORED });
}

/**
 * Plans the import of a table by an administrator, without changing anything: new users are invited, existing ones are
 * updated, except the administrator. Throws ImportFileError.
 */
export async function previewImport(
  { store }: { store: Store },
  text: string,
  { userId }: { userId: string },
): Promise<ImportPreview> {
  const table = readPageTable(text);
  const raw = rowsOfTable(table).map(({ fields, ...row }) => ({ ...row, fields: withoutIgnored(fields) }));
  const plan = await planImport({ store }, raw, { onConflict: "update", invite: true });
  const own = plan.rows
    .filter((row) => row.action === "update" && row.userId === userId)
    .map(({ line }): RowProblem => {
      return { line, problem: "username: is your own account", reason: { kind: "own account" } };
    });
  const problems = [...plan.problems, ...own].toSorted((one, other) => one.line - other.line);
  const wrong = new Set(problems.map(({ line }) => line));
  const rows = plan.rows.filter(({ line }) => !wrong.has(line));
  const count = (isCounted: (row: PlannedRow) => boolean) => rows.filter(isCounted).length;
  const counts = {
    invited: count(({ isInvited }) => isInvited),
    added: count(({ action, isInvited }) => action === "add" && !isInvited),
    changed: count(({ action }) => action === "update"),
    unchanged: count(({ action }) => action === "keep"),
  };
  return { table, rows, problems, counts, seen: fingerprintOf(rows) };
}

function withoutIgnored(fields: RawRow["fields"]): RawRow["fields"] {
  const isRead = ([name, value]: [string, unknown]) =>
    !IGNORED.includes(name) && !(name === "status" && value === INVITED_STATUS);
  return Object.fromEntries(Object.entries(fields).filter(isRead));
}

function fingerprintOf(rows: readonly PlannedRow[]): string {
  const meanings = rows.map(({ line, action, userId, isInvited, groupId, furtherGroups, changes }) => {
    const hasHash = changes !== null && changes.passwordHash !== null;
    const groups = furtherGroups.map(({ id }) => id);
    return [line, action, userId, isInvited, groupId, groups, changes && { ...changes, passwordHash: hasHash }];
  });
  return createHash("sha256").update(JSON.stringify(meanings)).digest("base64url");
}

/**
 * Returns the rows with problems as CSV for spreadsheet programs, with a column of errors: `errorOf` returns the sentence
 * of a problem. Cells that begin like a formula are escaped, which the next upload takes back.
 */
export function tableOfProblems(
  { table: { fields, records }, problems }: Pick<ImportPreview, "table" | "problems">,
  { errorOf, delimiter }: { errorOf: (problem: RowProblem) => string; delimiter: string },
): string {
  const errors = new Map<number, string[]>();
  for (const problem of problems) errors.set(problem.line, [...(errors.get(problem.line) ?? []), errorOf(problem)]);
  const kept = fields.flatMap((name, place) => (name === ERROR_COLUMN ? [] : [{ name, place }]));
  const lines = records
    .filter(({ line }) => errors.has(line))
    .map(({ cells, line }) => [
      ...kept.map(({ place }) => escaped(cells[place] ?? "")),
      escaped((errors.get(line) ?? []).join(" ")),
    ]);
  return stringify([[...kept.map(({ name }) => name), ERROR_COLUMN], ...lines], { bom: true, delimiter });
}

/** Prefixes a cell that a spreadsheet program would evaluate, with full-width signs too, unless it is prefixed already. */
function escaped(cell: string): string {
  return /^[\s]*[=+\-@＝＋－＠\t\r]/.test(cell) ? `'${cell.trimStart()}` : cell;
}
