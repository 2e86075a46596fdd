import { listGroups } from "#app/db/repositories/groups.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { hashParameters, verifyStored } from "#app/domain/password/stored-hash.server.ts";
import { createAddressCheck } from "./address-check.server.ts";
import { differencesOf } from "./differences.server.ts";
import { HASH_PROBLEMS, type ImportRow, parseRow, type RawRow, type RowProblem } from "./row.server.ts";

/** Action for rows whose user exists: refuse the import, skip the row, or update the user. */
export const ON_CONFLICT = ["fail", "skip", "update"] as const;
/** A value of `ON_CONFLICT`. */
export type OnConflict = (typeof ON_CONFLICT)[number];

/**
 * A row and its action. `groupId` is the id of its group. "keep": an update would change nothing. `isInvited`: the new
 * user gets a mail with a link to choose a password.
 */
export type PlannedRow = ImportRow & {
  groupId: string | null;
  action: "add" | "skip" | "update" | "keep";
  isInvited: boolean;
};

/** Plan of an import. With `problems` or `conflicts` it must not be applied. */
export type ImportPlan = { rows: PlannedRow[]; problems: RowProblem[]; conflicts: RowProblem[] };

/** `invite`: mail each new user who is active and has no password a link to choose one. */
type PlanOptions = { onConflict: OnConflict; invite?: boolean };

/**
 * Checks all rows without changing anything: fields, group, name within the file and the database, and if the library
 * verifies hashes of this kind and cost. Returns all problems in the order of the file.
 */
export async function planImport(
  { store }: { store: Store },
  raw: readonly RawRow[],
  { onConflict, invite = false }: PlanOptions,
): Promise<ImportPlan> {
  const groups = new Map((await listGroups(store)).map(({ name, id }) => [name, id]));
  const firstLines = new Map<string, number>();
  const isVerifiable = createHashTrial();
  const plan: ImportPlan = { rows: [], problems: [], conflicts: [] };
  const all = raw.map(parseRow);
  const checkAddresses = createAddressCheck(
    store,
    all.flatMap((parsed) => ("row" in parsed ? [parsed.row] : [])),
  );
  for (const parsed of all) {
    if ("problems" in parsed) {
      plan.problems.push(...parsed.problems);
      continue;
    }
    const { row } = parsed;
    const groupId = row.group === null ? null : (groups.get(row.group) ?? null);
    plan.problems.push(...problemsOf(row, groupId, firstLines.get(row.canonical)));
    if (row.password_hash !== null && !(await isVerifiable(row.password_hash))) {
      plan.problems.push({ line: row.line, problem: `password_hash: ${HASH_PROBLEMS["refused by the library"]}` });
    }
    firstLines.set(row.canonical, firstLines.get(row.canonical) ?? row.line);
    const existing = await findUserByUsername(store, row.canonical);
    plan.problems.push(...(await checkAddresses(row, existing?.id ?? null)));
    if (existing !== null && onConflict === "fail") {
      plan.conflicts.push({ line: row.line, problem: "the user already exists" });
      continue;
    }
    const action = actionOf({ ...row, groupId }, existing, onConflict);
    const isInvited = invite && action === "add" && row.status === "active" && row.password_hash === null;
    if (isInvited && row.email === null) {
      plan.problems.push({ line: row.line, problem: "email: is missing, so the user cannot be invited" });
    }
    plan.rows.push({ ...row, groupId, action, isInvited });
  }
  return plan;
}

function actionOf(
  row: ImportRow & { groupId: string | null },
  existing: User | null,
  onConflict: OnConflict,
): PlannedRow["action"] {
  if (existing === null) return "add";
  if (onConflict !== "update") return "skip";
  const { fields, status, passwordHash } = differencesOf(row, existing);
  return fields.length === 0 && status === null && passwordHash === null ? "keep" : "update";
}

function problemsOf({ line, group }: ImportRow, groupId: string | null, firstLine: number | undefined): RowProblem[] {
  const problems: RowProblem[] = [];
  if (group !== null && groupId === null) {
    problems.push({ line, problem: `group: "${printable(group)}" does not exist` });
  }
  if (firstLine !== undefined) problems.push({ line, problem: `username: duplicate of line ${firstLine}` });
  return problems;
}

/** Returns a function that tries one hash of each kind, cost and length with a password. */
function createHashTrial(): (hash: string) => Promise<boolean> {
  const results = new Map<string, boolean>();
  return async (hash) => {
    const parameters = hashParameters(hash);
    const result = results.get(parameters) ?? (await verifyStored(hash, "trial")) !== null;
    results.set(parameters, result);
    return result;
  };
}
