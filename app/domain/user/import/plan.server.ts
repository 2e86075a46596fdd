import { isLinkedInGroup } from "#app/db/repositories/external-accounts.server.ts";
import { listFurtherGroups } from "#app/db/repositories/group-members.server.ts";
import { listGroups } from "#app/db/repositories/groups.server.ts";
import { isReservedUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import { listUsersWithRoles } from "#app/db/repositories/user-roles.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { Group, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { composed } from "#app/domain/group/group-schema.ts";
import { MAX_FURTHER_GROUPS } from "#app/domain/group/membership.server.ts";
import { hashParameters, verifyStored } from "#app/domain/password/stored-hash.server.ts";
import { createAddressCheck } from "./address-check.server.ts";
import { type Differences, differencesOf, isUnchanged } from "./differences.server.ts";
import { HASH_PROBLEMS, type ImportRow, parseRow, type RawRow, type RowProblem } from "./row.server.ts";

/** Action for rows whose user exists: refuse the import, skip the row, or update the user. */
export const ON_CONFLICT = ["fail", "skip", "update"] as const;
/** A value of `ON_CONFLICT`. */
export type OnConflict = (typeof ON_CONFLICT)[number];

/**
 * A row and its action. `groupId` is the id of its home group, `furtherGroups` are its other groups. "keep": an update would change nothing. `userId` and
 * `changes`: of an existing user. `isInvited`: the new user gets a mail with a link to choose a password.
 */
export type PlannedRow = ImportRow & {
  groupId: string | null;
  furtherGroups: Group[];
  action: "add" | "skip" | "update" | "keep";
  userId: string | null;
  changes: Differences | null;
  isInvited: boolean;
};

/** Plan of an import. With `problems` or `conflicts` it must not be applied. */
export type ImportPlan = { rows: PlannedRow[]; problems: RowProblem[]; conflicts: RowProblem[] };

/** `invite`: mail each new user who is active and has no password a link to choose one. */
type PlanOptions = { onConflict: OnConflict; invite?: boolean };

/**
 * Checks all rows without changing anything: fields, groups, name within the file and the database, if the library
 * verifies hashes of this kind and cost, if external accounts can follow their user to a new home group, and if an active
 * administrator remains. Returns all problems in the order of the file.
 */
export async function planImport(
  { store }: { store: Store },
  raw: readonly RawRow[],
  { onConflict, invite = false }: PlanOptions,
): Promise<ImportPlan> {
  const groups = new Map((await listGroups(store)).map((group) => [group.name, group]));
  const findGroup = (name: string) => groups.get(name) ?? groups.get(composed(name)) ?? null;
  const defaults = [...groups.values()].filter(({ isDefault }) => isDefault);
  const firstLines = new Map<string, number>();
  const isVerifiable = createHashTrial();
  const plan: ImportPlan = { rows: [], problems: [], conflicts: [] };
  const all = await parseRows(store, raw);
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
    const groupId = row.group === null ? null : (findGroup(row.group)?.id ?? null);
    const furtherGroups = furtherGroupsOf(row, groupId, findGroup);
    plan.problems.push(...groupProblems(row, [...furtherGroups, ...defaults], findGroup));
    const firstLine = firstLines.get(row.canonical);
    if (firstLine !== undefined) {
      const problem = `username: duplicate of line ${firstLine}`;
      plan.problems.push({ line: row.line, problem, reason: { kind: "duplicate", firstLine } });
    }
    if (row.password_hash !== null && !(await isVerifiable(row.password_hash))) {
      const problem = `password_hash: ${HASH_PROBLEMS["refused by the library"]}`;
      plan.problems.push({ line: row.line, problem, reason: { kind: "invalid", field: "password_hash" } });
    }
    firstLines.set(row.canonical, firstLines.get(row.canonical) ?? row.line);
    const existing = await findUserByUsername(store, row.canonical);
    plan.problems.push(...(await checkAddresses(row, existing?.id ?? null)));
    if (existing === null && (await isReservedUsername(store, row.canonical))) {
      const problem = "username: was the name of a removed user, so it stays reserved";
      plan.problems.push({ line: row.line, problem, reason: { kind: "reserved" } });
    }
    if (existing !== null && onConflict === "fail") {
      plan.conflicts.push({ line: row.line, problem: "the user already exists", reason: { kind: "exists" } });
      continue;
    }
    const { action, changes } = await actionOf(store, { ...row, groupId, furtherGroups }, { existing, onConflict });
    const isMoved = existing !== null && changes?.fields.includes("group") === true;
    if (isMoved && (await isLinkedInGroup(store, existing.id, groupId))) {
      const problem = "group: a user there is linked to the same external account";
      plan.problems.push({ line: row.line, problem, reason: { kind: "account in use" } });
    }
    const isInvited = invite && action === "add" && row.status === "active" && row.password_hash === null;
    if (isInvited && row.email === null) {
      const problem = "email: is missing, so the user cannot be invited";
      plan.problems.push({ line: row.line, problem, reason: { kind: "no address" } });
    }
    plan.rows.push({ ...row, groupId, furtherGroups, action, changes, isInvited, userId: existing?.id ?? null });
  }
  plan.problems.push(...(await lastAdministratorProblems(store, plan.rows)));
  return { ...plan, problems: plan.problems.toSorted((one, other) => one.line - other.line) };
}

type ParsedRow = ReturnType<typeof parseRow>;

/**
 * Parses the rows. A row that verifies the address of a user without naming it has the stored one; `email_verified` of a
 * user without an address is false, whatever the file says.
 */
async function parseRows(store: Store, raw: readonly RawRow[]): Promise<ParsedRow[]> {
  const all: ParsedRow[] = [];
  for (const parsed of raw.map(parseRow)) {
    all.push("row" in parsed && parsed.row.email_verified ? { row: await withAddress(store, parsed.row) } : parsed);
  }
  return all;
}

async function withAddress(store: Store, row: ImportRow): Promise<ImportRow> {
  const stored = row.presentFields.has("email") ? null : await findUserByUsername(store, row.canonical);
  const email = row.email ?? stored?.email ?? null;
  return { ...row, email, email_verified: email !== null };
}

/** Returns a problem for each row that blocks an active administrator, if the file leaves none. */
async function lastAdministratorProblems(store: Store, rows: readonly PlannedRow[]): Promise<RowProblem[]> {
  const blocking = new Map(rows.flatMap((row) => (row.changes?.status === "blocked" ? [[row.userId, row.line]] : [])));
  if (blocking.size === 0) return [];
  const roles = await listUsersWithRoles(store);
  const active = roles.filter(({ role, isBlocked }) => role === "administrator" && !isBlocked);
  if (active.some(({ userId }) => !blocking.has(userId))) return [];
  return active.map(({ userId }): RowProblem => {
    const problem = "status: would leave no active administrator";
    return { line: blocking.get(userId) ?? 0, problem, reason: { kind: "last administrator" } };
  });
}

async function actionOf(
  store: Store,
  row: Pick<PlannedRow, "groupId" | "furtherGroups"> & ImportRow,
  { existing, onConflict }: { existing: User | null; onConflict: OnConflict },
): Promise<Pick<PlannedRow, "action" | "changes">> {
  if (existing === null) return { action: "add", changes: null };
  if (onConflict !== "update") return { action: "skip", changes: null };
  const current = (await listFurtherGroups(store, [existing.id])).get(existing.id) ?? [];
  const changes = differencesOf(row, existing, current);
  return { action: isUnchanged(changes) ? "keep" : "update", changes };
}

type FindGroup = (name: string) => Group | null;

/** Returns the existing groups of the field `groups`, each once, without the home group. */
function furtherGroupsOf({ groups }: ImportRow, homeId: string | null, findGroup: FindGroup): Group[] {
  const found = groups.flatMap((name) => findGroup(name) ?? []).filter(({ id }) => id !== homeId);
  return [...new Map(found.map((group) => [group.id, group])).values()];
}

function groupProblems(
  { line, group, groups }: ImportRow,
  memberOf: readonly Group[],
  findGroup: FindGroup,
): RowProblem[] {
  const named = [{ field: "group", name: group }, ...groups.map((name) => ({ field: "groups", name }))];
  const problems = named.flatMap(({ field, name }): RowProblem[] => {
    if (name === null || findGroup(name) !== null) return [];
    const value = printable(name);
    return [{ line, problem: `${field}: "${value}" does not exist`, reason: { kind: "unknown group", value } }];
  });
  if (new Set(memberOf.map(({ id }) => id)).size <= MAX_FURTHER_GROUPS) return problems;
  const problem = `groups: are more than ${MAX_FURTHER_GROUPS}, with the default groups`;
  return [...problems, { line, problem, reason: { kind: "too many groups" } }];
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
