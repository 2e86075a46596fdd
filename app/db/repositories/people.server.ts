import { and, asc, desc, eq, exists, gt, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Role } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { IS_LISTED_AS_UNUSED } from "./invited-users.server.ts";

/** The states by which administrators select people; the number of each is shown beside it. */
export const PEOPLE_FILTERS = ["invited", "blocked", "no-factor", "never", "dormant", "leaving"] as const;

/** A value of `PEOPLE_FILTERS`. */
export type PeopleFilter = (typeof PEOPLE_FILTERS)[number];

/**
 * People to select: those whose names, user name or e-mail address contain each word (of `searchWords`), of one home
 * group (null: of all). `dormantBefore`: their last sign-in is older. `today`, `leavingUntil`: days YYYY-MM-DD.
 */
export type PeopleSelection = {
  words: readonly string[];
  officeId: string | null;
  now: Date;
  dormantBefore: Date;
  today: string;
  leavingUntil: string;
};

/** Number of selected people, and of those in each state. */
export type PeopleCounts = Record<"all" | PeopleFilter, number>;

/**
 * A person in a list. `office`: name of the home group. `invitedUntil`: end of the link of an invitation, null without a
 * valid one. `isInvited`: the account was never used. `roleOfficeName`: the home group to which the role is limited.
 */
export type ListedPerson = {
  id: string;
  username: string;
  displayName: string;
  givenName: string | null;
  familyName: string | null;
  email: string | null;
  office: string | null;
  role: Role | null;
  isBlocked: boolean;
  isInvited: boolean;
  hasFactor: boolean;
  invitedUntil: Date | null;
  lastSignedInAt: Date | null;
  lastDay: string | null;
};

/**
 * Counts the people of an office, or all, and those in each state, with one statement that reads the index
 * `users_states` once. Each condition is as short as possible, because it is evaluated for each person: differences
 * replace the others, and the few who are blocked or leaving are found by their own index entries.
 */
export async function countPeople(store: Store, office: Omit<PeopleSelection, "words">): Promise<PeopleCounts> {
  const { users } = store.t;
  const isOfThisOffice = isOfOffice(users.groupId, office.officeId);
  const ifActive = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`.mapWith(Number);
  const alone = (condition: SQL) =>
    sql<number>`(select count(*) from ${users} where ${condition} and ${isOfThisOffice})`.mapWith(Number);
  const { isDormant } = conditionsOf(store, office);
  const [counts] = await store.q
    .select({
      blocked: alone(isInState(store, office, "blocked")),
      leaving: alone(isInState(store, office, "leaving")),
      active: sql<number>`count(*)`.mapWith(Number),
      invited: ifActive(IS_LISTED_AS_UNUSED),
      invitedWithoutFactor: ifActive(sql`not users.has_factor and ${IS_LISTED_AS_UNUSED}`),
      withoutFactor: ifActive(sql`not users.has_factor`),
      neverSignedIn: ifActive(sql`users.last_signed_in_at is null`),
      dormant: ifActive(isDormant),
    })
    .from(users)
    .where(and(sql`users.status = 'active'`, isOfThisOffice));
  if (!counts) throw new Error("a count returned no row");
  const { active, invited, invitedWithoutFactor, withoutFactor, neverSignedIn, blocked, dormant, leaving } = counts;
  return {
    ...{ all: active + blocked, invited, blocked, dormant, leaving },
    "no-factor": withoutFactor - invitedWithoutFactor,
    never: neverSignedIn - invited,
  };
}

/**
 * Returns the ids of the selected people in this state (null: in any), by name, from `offset` on, at most `limit`. The
 * index `users_list` contains all that this reads. `total`: their number, if it is known; the second half is then read
 * from its end.
 */
export async function listPeopleIds(
  store: Store,
  selection: PeopleSelection,
  { filter, limit, offset, total }: { filter: PeopleFilter | null; limit: number; offset: number; total?: number },
): Promise<string[]> {
  const { users } = store.t;
  const afterPage = total === undefined ? Number.POSITIVE_INFINITY : Math.max(0, total - offset - limit);
  const isBackward = afterPage < offset;
  const direction = isBackward ? desc : asc;
  const rows = await store.q
    .select({ id: users.id })
    .from(users)
    .where(and(isSelected(store, selection), filter === null ? undefined : isInState(store, selection, filter)))
    .orderBy(direction(users.sortName), direction(users.id))
    .limit(isBackward ? Math.min(limit, (total ?? 0) - offset) : limit)
    .offset(isBackward ? afterPage : offset);
  const ids = rows.map(({ id }) => id);
  return isBackward ? ids.toReversed() : ids;
}

/** Returns the people with these ids, by name. */
export async function listPeople(store: Store, ids: readonly string[], now: Date): Promise<ListedPerson[]> {
  const { users, groups, userRoles, oneTimeTokens } = store.t;
  const rows = await store.q
    .select({
      user: users,
      office: groups.name,
      role: userRoles.role,
      invitedUntil: oneTimeTokens.expiresAt,
      isInvited: IS_LISTED_AS_UNUSED,
    })
    .from(users)
    .leftJoin(groups, eq(groups.id, users.groupId))
    .leftJoin(userRoles, eq(userRoles.userId, users.id))
    .leftJoin(
      oneTimeTokens,
      and(
        eq(oneTimeTokens.kind, "password-reset"),
        eq(oneTimeTokens.slot, users.id),
        eq(oneTimeTokens.generation, users.generation),
        isNull(oneTimeTokens.usedAt),
        gt(oneTimeTokens.expiresAt, now),
      ),
    )
    .where(inArray(users.id, [...ids]))
    // Of the ids, and not in the order of the index, which would be read as a whole.
    .orderBy(sql`${users.sortName} || ''`, asc(users.id));
  return rows.map(({ user, isInvited, invitedUntil, ...row }) => {
    const { id, username, displayName, givenName, familyName, email, status, hasFactor } = user;
    const names = { id, username, displayName, givenName, familyName, email };
    const { lastSignedInAt, lastDay } = user;
    const isBlocked = status === "blocked";
    return { ...names, ...row, isBlocked, isInvited, hasFactor, invitedUntil, lastSignedInAt, lastDay };
  });
}

/** Lists the groups that are the home group of a user, by name. */
export async function listOffices(store: Store): Promise<{ id: string; name: string }[]> {
  const { users, groups } = store.t;
  const members = store.q.select({ id: users.id }).from(users).where(eq(users.groupId, groups.id));
  return store.q
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(exists(members))
    .orderBy(asc(groups.name));
}

function isSelected(store: Store, { officeId, words }: PeopleSelection): SQL | undefined {
  const { users } = store.t;
  // The plus keeps SQLite from an index that begins with the group, for which it would read the row of each member.
  const groupId = store.dialect === "sqlite" ? sql`+${users.groupId}` : users.groupId;
  return and(isOfOffice(groupId, officeId), containsWords(store, words));
}

/** Condition on `users`: the folded names contain each word (of `searchWords`); undefined without words. */
export function containsWords({ dialect, t: { users } }: Store, words: readonly string[]): SQL | undefined {
  // PostgreSQL expects few rows with LIKE, and would read the table instead of the index.
  const position = sql.raw(dialect === "sqlite" ? "instr" : "strpos");
  return and(...words.map((word) => sql`${position}(${users.searchText}, ${word}) > 0`));
}

function isOfOffice(groupId: SQLWrapper, officeId: string | null): SQL {
  return officeId === null ? sql`true` : sql`${groupId} = ${officeId}`;
}

/** Condition on `users`: the user is in this state. Blocked users are in no other one. */
function isInState(store: Store, selection: Omit<PeopleSelection, "words">, filter: PeopleFilter): SQL {
  const active = sql`users.status = 'active'`;
  const { isDormant, isLeaving } = conditionsOf(store, selection);
  switch (filter) {
    case "invited":
      return sql`${active} and ${IS_LISTED_AS_UNUSED}`;
    case "blocked":
      return sql`users.status = 'blocked'`;
    case "no-factor":
      return sql`${active} and not users.has_factor and not ${IS_LISTED_AS_UNUSED}`;
    case "never":
      return sql`${active} and users.last_signed_in_at is null and not ${IS_LISTED_AS_UNUSED}`;
    case "dormant":
      return sql`${active} and ${isDormant}`;
    case "leaving":
      return sql`${active} and ${isLeaving}`;
  }
}

function conditionsOf({ t: { users } }: Store, { dormantBefore, today, leavingUntil }: Omit<PeopleSelection, "words">) {
  return {
    isDormant: sql`users.last_signed_in_at < ${sql.param(dormantBefore, users.lastSignedInAt)}`,
    isLeaving: sql`users.last_day >= ${today} and users.last_day <= ${leavingUntil}`,
  };
}
