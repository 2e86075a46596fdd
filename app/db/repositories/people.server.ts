import { and, asc, eq, exists, gt, isNull, like, type SQL, sql } from "drizzle-orm";
import type { Role } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { IS_UNUSED } from "./invited-users.server.ts";

/** The states by which administrators select people; the number of each is shown beside it. */
export const PEOPLE_FILTERS = ["invited", "blocked", "no-factor", "never", "dormant", "leaving"] as const;

/** A value of `PEOPLE_FILTERS`. */
export type PeopleFilter = (typeof PEOPLE_FILTERS)[number];

/**
 * People to select: those whose names, user name or e-mail address contain each word (folded by `foldName`), of one home
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

/** Condition on `users`: the user has an authenticator app, a security key or a passkey. */
const HAS_FACTOR: SQL<boolean> = sql<boolean>`(
  exists (select 1 from totp_credentials app where app.user_id = users.id)
  or exists (select 1 from webauthn_credentials security_key where security_key.user_id = users.id)
)`.mapWith(Boolean);

/** Counts the selected people, and those in each state, with one statement. */
export async function countPeople(store: Store, selection: PeopleSelection): Promise<PeopleCounts> {
  const { users } = store.t;
  const countOf = (filter: PeopleFilter) =>
    sql<number>`count(*) filter (where ${isInState(store, selection, filter)})`.mapWith(Number);
  const [counts] = await store.q
    .select({
      all: sql<number>`count(*)`.mapWith(Number),
      invited: countOf("invited"),
      blocked: countOf("blocked"),
      "no-factor": countOf("no-factor"),
      never: countOf("never"),
      dormant: countOf("dormant"),
      leaving: countOf("leaving"),
    })
    .from(users)
    .where(isSelected(store, selection));
  if (!counts) throw new Error("a count returned no row");
  return counts;
}

/**
 * Up to so many people in a selection, SQLite reads all and sorts them: the index of names would read the row of each
 * person before the page, which is six times as slow as reading the table.
 */
const SORTED_ROWS = 20_000;

/**
 * Returns the selected people in this state (null: in any), by name, from `offset` on, at most `limit`. `total`: their
 * number, as `countPeople` returned it.
 */
export async function listPeople(
  store: Store,
  selection: PeopleSelection,
  { filter, total, limit, offset }: { filter: PeopleFilter | null; total: number; limit: number; offset: number },
): Promise<ListedPerson[]> {
  const { users, groups, userRoles, oneTimeTokens } = store.t;
  // The ids of the page first: the index of names finds them, and the joins read no other row.
  const isSorted =
    store.dialect === "sqlite" && total <= SORTED_ROWS && (filter !== null || selection.words.length > 0);
  const page = store.q
    .select({ id: users.id })
    .from(users)
    .where(and(isSelected(store, selection), filter === null ? undefined : isInState(store, selection, filter)))
    .orderBy(isSorted ? sql`+${users.sortName}` : asc(users.sortName), asc(users.id))
    .limit(limit)
    .offset(offset)
    .as("page");
  const rows = await store.q
    .select({
      user: users,
      office: groups.name,
      role: userRoles.role,
      invitedUntil: oneTimeTokens.expiresAt,
      isInvited: IS_UNUSED,
      hasFactor: HAS_FACTOR,
    })
    .from(page)
    .innerJoin(users, eq(users.id, page.id))
    .leftJoin(groups, eq(groups.id, users.groupId))
    .leftJoin(userRoles, eq(userRoles.userId, users.id))
    .leftJoin(
      oneTimeTokens,
      and(
        eq(oneTimeTokens.kind, "password-reset"),
        eq(oneTimeTokens.slot, users.id),
        eq(oneTimeTokens.generation, users.generation),
        isNull(oneTimeTokens.usedAt),
        gt(oneTimeTokens.expiresAt, selection.now),
      ),
    )
    .orderBy(asc(users.sortName), asc(users.id));
  return rows.map(({ user, isInvited, invitedUntil, ...row }) => {
    const { id, username, displayName, givenName, familyName, email, status, lastSignedInAt, lastDay } = user;
    const names = { id, username, displayName, givenName, familyName, email };
    const isBlocked = status === "blocked";
    return { ...names, ...row, isBlocked, isInvited, invitedUntil, lastSignedInAt, lastDay };
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

function isSelected({ t: { users } }: Store, { words, officeId }: PeopleSelection): SQL | undefined {
  return and(
    officeId === null ? undefined : eq(users.groupId, officeId),
    ...words.map((word) => sql`${like(users.searchText, `%${escapeLike(word)}%`)} escape '\\'`),
  );
}

/** Escapes the wildcards of LIKE, so that they stand for themselves. */
function escapeLike(word: string): string {
  return word.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** Condition on `users`: the user is in this state. Blocked users are in no other one. */
function isInState(
  { t: { users } }: Store,
  { dormantBefore, today, leavingUntil }: PeopleSelection,
  filter: PeopleFilter,
): SQL {
  const active = sql`users.status = 'active'`;
  switch (filter) {
    case "invited":
      return sql`${active} and ${IS_UNUSED}`;
    case "blocked":
      return sql`users.status = 'blocked'`;
    case "no-factor":
      return sql`${active} and not ${IS_UNUSED} and not ${HAS_FACTOR}`;
    case "never":
      return sql`${active} and users.last_signed_in_at is null and not ${IS_UNUSED}`;
    case "dormant":
      return sql`${active} and users.last_signed_in_at < ${sql.param(dormantBefore, users.lastSignedInAt)}`;
    case "leaving":
      return sql`${active} and users.last_day >= ${today} and users.last_day <= ${leavingUntil}`;
  }
}
