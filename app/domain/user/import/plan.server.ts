import { listGroups } from "#app/db/repositories/groups.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { printable } from "#app/domain/printable.ts";
import { type ImportRow, parseRow, type RawRow, type RowProblem } from "./row.server.ts";

/** What is done with a row whose user is there already: left alone, changed to what the row says, or a reason to stop. */
export const ON_CONFLICT = ["fail", "skip", "update"] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** A row with what there is to do about it. `groupId` of its group. */
export type PlannedRow = ImportRow & { groupId: string | null; action: "add" | "skip" | "update" };

/** What an import would do. With `problems` or `conflicts` nothing is to be done. */
export type ImportPlan = { rows: PlannedRow[]; problems: RowProblem[]; conflicts: RowProblem[] };

/**
 * Looks at every row without changing anything: its fields, its group, its name within the file and in the database. All
 * problems are told at once, in the order of the file.
 */
export async function planImport(
  { store }: { store: Store },
  raw: readonly RawRow[],
  onConflict: OnConflict,
): Promise<ImportPlan> {
  const groups = new Map((await listGroups(store)).map(({ name, id }) => [name, id]));
  const firstLines = new Map<string, number>();
  const plan: ImportPlan = { rows: [], problems: [], conflicts: [] };
  for (const one of raw) {
    const parsed = parseRow(one);
    if ("problems" in parsed) {
      plan.problems.push(...parsed.problems);
      continue;
    }
    const { row } = parsed;
    const groupId = row.group === null ? null : (groups.get(row.group) ?? null);
    plan.problems.push(...problemsOf(row, groupId, firstLines.get(row.canonical)));
    firstLines.set(row.canonical, firstLines.get(row.canonical) ?? row.line);
    const isThere = (await findUserByUsername(store, row.canonical)) !== null;
    if (isThere && onConflict === "fail")
      plan.conflicts.push({ line: row.line, problem: "there is such a user already" });
    else plan.rows.push({ ...row, groupId, action: isThere && onConflict !== "fail" ? onConflict : "add" });
  }
  return plan;
}

function problemsOf({ line, group }: ImportRow, groupId: string | null, firstLine: number | undefined): RowProblem[] {
  const problems: RowProblem[] = [];
  if (group !== null && groupId === null) problems.push({ line, problem: `group: there is no "${printable(group)}"` });
  if (firstLine !== undefined) problems.push({ line, problem: `username: the same as in line ${firstLine}` });
  return problems;
}
