import { and, asc, eq, exists, gt, isNull, lt, ne, or, sql } from "drizzle-orm";
import { foldedNames } from "#app/db/folded-names.ts";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored, getOnly } from "#app/db/rows.server.ts";
import type { NewUser, PasswordOrigin, User, UserStatus } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { canonicalAddress } from "#app/mail-address.server.ts";
import { resetTime } from "./mailed-passwords.server.ts";

/** The fields of a user's profile; omitted fields stay. */
type UserProfile = {
  [Field in
    | "displayName"
    | "givenName"
    | "familyName"
    | "email"
    | "emailVerified"
    | "phone"
    | "address"
    | "picture"
    | "permissions"
    | "locale"
    | "groupId"
    | "lastDay"]?: User[Field] | undefined;
};

/** Adds a user. An existing user name is a unique violation (`store.isUnique`). */
export async function createUser(store: Store, user: NewUser): Promise<User> {
  const { givenName = null, familyName = null, email = null } = user;
  const row = { ...user, ...withCanonical(user), ...foldedNames({ ...user, givenName, familyName, email }) };
  return getOnly(await store.q.insert(store.t.users).values(row).returning());
}

/** Returns the canonical form that is stored with an e-mail address; no field if the address does not change. */
function withCanonical({ email }: { email?: string | null | undefined }): { emailCanonical?: string | null } {
  return email === undefined ? {} : { emailCanonical: email === null ? null : canonicalAddress(email) };
}

const byIdStatement = prepared(({ q, t: { users } }) =>
  q
    .select()
    .from(users)
    .where(eq(users.id, sql.placeholder("id")))
    .prepare(),
);

/** Returns the user with this id, whatever the status. */
export async function findUser(store: Store, id: string): Promise<User | null> {
  if (cannotBeStored(id)) return null;
  const [user] = await byIdStatement(store).execute({ id });
  return user ?? null;
}

const byUsernameStatement = prepared(({ q, t: { users } }) =>
  q
    .select()
    .from(users)
    .where(eq(users.usernameCanonical, sql.placeholder("canonical")))
    .prepare(),
);

/** Returns the user with this canonical user name (domain/username/canonical.ts), whatever the status. */
export async function findUserByUsername(store: Store, canonical: string): Promise<User | null> {
  if (cannotBeStored(canonical)) return null;
  const [user] = await byUsernameStatement(store).execute({ canonical });
  return user ?? null;
}

/**
 * The condition on the placeholders `canonical` and `email`: this user name, or this canonical e-mail address, if it is
 * verified for the user. An index finds both.
 */
export function hasLoginName({ t: { users } }: Store) {
  return or(
    eq(users.usernameCanonical, sql.placeholder("canonical")),
    and(eq(users.emailCanonical, sql.placeholder("email")), eq(users.emailVerified, true)),
  );
}

/** The order in which `chooseByLoginName` needs its first two rows: the user name before e-mail addresses. */
export function byLoginName({ t: { users } }: Store) {
  return sql`case when ${users.usernameCanonical} = ${sql.placeholder("canonical")} then 0 else 1 end`;
}

/**
 * Returns the user with this name among the first two rows; otherwise the only user for whom the address is verified. An
 * address that is verified for several users matches none of them.
 */
export function chooseByLoginName<Row extends { user: User }>(rows: readonly Row[], canonical: string): Row | null {
  const [first, second] = rows;
  if (first?.user.usernameCanonical === canonical) return first;
  return first && !second ? first : null;
}

const byNameOrEmailStatement = prepared((store) =>
  store.q
    .select({ user: store.t.users })
    .from(store.t.users)
    .where(hasLoginName(store))
    .orderBy(byLoginName(store))
    .limit(2)
    .prepare(),
);

/**
 * Returns the user with this canonical user name, whatever the status; otherwise the only user for whom this e-mail
 * address is verified (domain/username/typed-name.server.ts).
 */
export async function findUserByLoginName(
  store: Store,
  { canonical, email }: { canonical: string; email: string | null },
): Promise<User | null> {
  if (email === null || cannotBeStored(email)) return findUserByUsername(store, canonical);
  return chooseByLoginName(await byNameOrEmailStatement(store).execute({ canonical, email }), canonical)?.user ?? null;
}

/** Returns true if this canonical e-mail address is verified for another user than `userId` (null for a new user). */
export async function isAddressOfOther(store: Store, email: string, userId: string | null): Promise<boolean> {
  const { users } = store.t;
  const [other] = await store.q
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.emailCanonical, email),
        eq(users.emailVerified, true),
        userId === null ? undefined : ne(users.id, userId),
      ),
    )
    .limit(1);
  return other !== undefined;
}

/** Returns true if another user than `userId` has this canonical e-mail address, verified or not. */
export async function hasOtherThisAddress(store: Store, email: string, userId: string): Promise<boolean> {
  const { users } = store.t;
  const [other] = await store.q
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.emailCanonical, email), ne(users.id, userId)))
    .limit(1);
  return other !== undefined;
}

/** Marks this e-mail address as verified if it is the user's, in any spelling. */
export async function verifyAddress(
  store: Store,
  id: string,
  { email, now }: { email: string; now: Date },
): Promise<void> {
  const { users } = store.t;
  await store.q
    .update(users)
    .set({ emailVerified: true, updatedAt: now })
    .where(and(eq(users.id, id), eq(users.emailCanonical, canonicalAddress(email) ?? email)));
}

/** Returns at most `limit` users, ordered by canonical user name, after `after` (null: from the start). */
export async function listUsers(store: Store, page: { after: string | null; limit: number }): Promise<User[]> {
  const { users } = store.t;
  return store.q
    .select()
    .from(users)
    .where(page.after === null ? undefined : gt(users.usernameCanonical, page.after))
    .orderBy(asc(users.usernameCanonical))
    .limit(page.limit);
}

/** Locks the user's row until the transaction ends, and returns it as it is then; null if the user does not exist. */
export async function lockUser(store: Store, id: string): Promise<User | null> {
  const { users } = store.t;
  const [user] = await store.q
    .update(users)
    .set({ generation: sql`${users.generation}` })
    .where(eq(users.id, id))
    .returning();
  return user ?? null;
}

/** Changes the profile. Returns null if the user does not exist. */
export async function updateUserProfile(
  store: Store,
  id: string,
  profile: UserProfile,
  now: Date,
): Promise<User | null> {
  const { users } = store.t;
  const [user] = await store.q
    .update(users)
    .set({ ...profile, ...withCanonical(profile), updatedAt: now })
    .where(eq(users.id, id))
    .returning();
  if (!user) return null;
  await storeFoldedNames(store, user);
  return { ...user, ...foldedNames(user) };
}

/** Stores the folded names of a user again, after a change of a name or of the e-mail address. */
export async function storeFoldedNames(store: Store, user: User): Promise<void> {
  const { sortName, searchText } = foldedNames(user);
  if (user.sortName === sortName && user.searchText === searchText) return;
  const { users } = store.t;
  await store.q.update(users).set({ sortName, searchText }).where(eq(users.id, user.id));
}

/** Stores the folded names of all users: those of versions before 0.4 have none. Call it in a transaction. */
export async function foldAllNames(store: Store): Promise<void> {
  let page: User[] = [];
  do {
    page = await listUsers(store, { after: page.at(-1)?.usernameCanonical ?? null, limit: 500 });
    for (const user of page) await storeFoldedNames(store, user);
  } while (page.length > 0);
}

/** Stores the time of a completed sign-in. */
export async function storeSignIn(store: Store, id: string, now: Date): Promise<void> {
  await signedInStatement(store).execute({ id, now: encoded(store.t.users.lastSignedInAt, now) });
}

const signedInStatement = prepared(({ q, t: { users } }) =>
  q
    .update(users)
    .set({ lastSignedInAt: sql`${sql.placeholder("now")}` })
    .where(eq(users.id, sql.placeholder("id")))
    .prepare(),
);

/** Stores the language of a user who has none. */
export async function storeFirstLocale(
  store: Store,
  id: string,
  { locale, now }: { locale: string; now: Date },
): Promise<void> {
  await firstLocaleStatement(store).execute({ id, locale, now: encoded(store.t.users.updatedAt, now) });
}

const firstLocaleStatement = prepared(({ q, t: { users } }) =>
  q
    .update(users)
    .set({ locale: sql`${sql.placeholder("locale")}`, updatedAt: sql`${sql.placeholder("now")}` })
    .where(and(eq(users.id, sql.placeholder("id")), isNull(users.locale)))
    .prepare(),
);

/** Stores the language of a user who has this generation. Returns false if there is none. */
export async function storeLocale(
  store: Store,
  { userId, generation }: { userId: string; generation: number },
  { locale, now }: { locale: string; now: Date },
): Promise<boolean> {
  const { users } = store.t;
  const stored = await store.q
    .update(users)
    .set({ locale, updatedAt: now })
    .where(and(eq(users.id, userId), eq(users.generation, generation)))
    .returning({ id: users.id });
  return stored.length === 1;
}

/**
 * Sets the status and increments the generation. `blockReason`: null for an active user, and without a reason. `today`: a
 * last day before it is removed from a user who becomes active; null keeps it. Returns null if the user does not exist.
 */
export async function setUserStatus(
  store: Store,
  id: string,
  status: UserStatus,
  now: Date,
  { blockReason = null, today = null }: { blockReason?: string | null; today?: string | null } = {},
): Promise<User | null> {
  const { users } = store.t;
  const isOver = sql`${users.lastDay} < ${today}`;
  const [user] = await store.q
    .update(users)
    .set({
      status,
      blockReason,
      ...(status === "active" && today !== null
        ? { lastDay: sql`case when ${isOver} then null else ${users.lastDay} end` }
        : {}),
      generation: sql`${users.generation} + 1`,
      updatedAt: now,
    })
    .where(eq(users.id, id))
    .returning();
  return user ?? null;
}

/** Returns active users whose last day is before `today`, the first one first. */
export async function listUsersAfterLastDay(
  store: Store,
  { today, limit }: { today: string; limit: number },
): Promise<Pick<User, "id" | "username">[]> {
  const { users } = store.t;
  return store.q
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(and(lt(users.lastDay, today), eq(users.status, "active")))
    .orderBy(asc(users.lastDay), asc(users.id))
    .limit(limit);
}

/**
 * Blocks an active user whose last day is before `today`, and increments the generation. Returns false for any other
 * user: of several calls one blocks.
 */
export async function blockAfterLastDay(
  store: Store,
  id: string,
  { today, now }: { today: string; now: Date },
): Promise<boolean> {
  const { users } = store.t;
  const blocked = await store.q
    .update(users)
    .set({ status: "blocked", blockReason: null, generation: sql`${users.generation} + 1`, updatedAt: now })
    .where(and(eq(users.id, id), lt(users.lastDay, today), eq(users.status, "active")))
    .returning({ id: users.id });
  return blocked.length === 1;
}

/** Sets a password and increments the generation. Returns null if the user does not exist. */
export async function setUserPassword(
  store: Store,
  id: string,
  { hash, how, at }: { hash: string; how: PasswordOrigin; at: Date },
): Promise<User | null> {
  const { users } = store.t;
  const [user] = await store.q
    .update(users)
    .set({
      passwordHash: hash,
      passwordSetAt: at,
      passwordSetHow: how,
      passwordProvenAt: null,
      passwordResetUnseen: how === "link" ? hasExternalAccount(store, id) : false,
      // A second reset must not make anything that was added after the first one count as older.
      passwordMailedAt: how === "link" ? firstUnseenReset(store, at) : null,
      generation: sql`${users.generation} + 1`,
      updatedAt: at,
    })
    .where(eq(users.id, id))
    .returning();
  return user ?? null;
}

function firstUnseenReset(store: Store, at: Date) {
  const { users } = store.t;
  const now = sql.param(at, users.passwordMailedAt);
  return sql`case when ${users.passwordResetUnseen} then ${resetTime(store)} else ${now} end`;
}

/** A user who signs in with a provider does not notice a changed password, so a page has to show it. */
function hasExternalAccount(store: Store, userId: string) {
  const { externalAccounts } = store.t;
  return exists(
    store.q.select({ id: externalAccounts.id }).from(externalAccounts).where(eq(externalAccounts.userId, userId)),
  );
}

/**
 * Replaces the hash of an unchanged password; sessions and the password's date stay. Returns false if the stored hash
 * is not `expected`: a concurrent password change wins.
 */
export async function replacePasswordHash(
  store: Store,
  id: string,
  { expected, hash }: { expected: string; hash: string },
): Promise<boolean> {
  const { users } = store.t;
  const replaced = await store.q
    .update(users)
    .set({ passwordHash: hash })
    .where(and(eq(users.id, id), eq(users.passwordHash, expected)))
    .returning({ id: users.id });
  return replaced.length === 1;
}

/**
 * Removes the user and all rows that reference it: factors, external accounts, consents, links, known browsers, page
 * sessions. Engine records must be removed separately. Returns false if the user does not exist.
 */
export async function removeUser(store: Store, id: string): Promise<boolean> {
  const { users } = store.t;
  const removed = await store.q.delete(users).where(eq(users.id, id)).returning({ id: users.id });
  return removed.length === 1;
}

/** Invalidates all sessions and tokens by incrementing the generation. Returns false if the user does not exist. */
export async function invalidateSessions(store: Store, id: string, now: Date): Promise<boolean> {
  const { users } = store.t;
  const raised = await store.q
    .update(users)
    .set({ generation: sql`${users.generation} + 1`, updatedAt: now })
    .where(eq(users.id, id))
    .returning({ id: users.id });
  return raised.length === 1;
}
