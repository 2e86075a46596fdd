import { and, asc, eq, gte, lt, ne, or, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { KnownBrowser, Tables, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { storeHasFactor, withoutFactors } from "./has-factor.server.ts";

/** A registered security key or passkey. */
export type WebauthnCredential = Tables["webauthnCredentials"]["$inferSelect"];

/** A security key or passkey to add. */
export type NewWebauthnCredential = Tables["webauthnCredentials"]["$inferInsert"];

/** Matches credential id and user id. */
type OwnedCredential = { id: string; userId: string };

/** Returns the user's security keys and passkeys, oldest first. */
export async function listWebauthnCredentials(store: Store, userId: string): Promise<WebauthnCredential[]> {
  const { webauthnCredentials } = store.t;
  return store.q
    .select()
    .from(webauthnCredentials)
    .where(eq(webauthnCredentials.userId, userId))
    .orderBy(asc(webauthnCredentials.createdAt), asc(webauthnCredentials.id));
}

/** A passkey, its user of any status, and the browser if this user has completed a sign-in in it. */
export type PasskeyInBrowser = { credential: WebauthnCredential; user: User; browser: KnownBrowser | null };

const passkeyStatement = prepared(({ q, t: { webauthnCredentials: keys, users, knownBrowsers } }) =>
  q
    .select({ credential: keys, user: users, browser: knownBrowsers })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .leftJoin(
      knownBrowsers,
      and(eq(knownBrowsers.userId, users.id), eq(knownBrowsers.browserHash, sql.placeholder("browserHash"))),
    )
    .where(
      and(
        eq(keys.id, sql.placeholder("id")),
        eq(keys.userId, sql.placeholder("userId")),
        eq(keys.rpId, sql.placeholder("rpId")),
        eq(keys.isPasskey, true),
      ),
    )
    .prepare(),
);

/** Returns the passkey with this id if it is one of the user, for this relying party. One statement in any case. */
export async function findPasskeyInBrowser(
  store: Store,
  { id, userId, ...place }: OwnedCredential & { rpId: string; browserHash: string },
): Promise<PasskeyInBrowser | null> {
  const owned = cannotBeStored(id) || cannotBeStored(userId) ? { id: "", userId: "" } : { id, userId };
  const [found] = await passkeyStatement(store).execute({ ...owned, ...place });
  return found ?? null;
}

/** Returns the security key or passkey with this id, of any user, or null. */
export async function findWebauthnCredential(store: Store, id: string): Promise<WebauthnCredential | null> {
  if (cannotBeStored(id)) return null;
  const { webauthnCredentials } = store.t;
  const [found] = await store.q.select().from(webauthnCredentials).where(eq(webauthnCredentials.id, id));
  return found ?? null;
}

/** Adds a security key or a passkey. Returns false if its id is already registered, for any user. */
export async function addWebauthnCredential(store: Store, credential: NewWebauthnCredential): Promise<boolean> {
  const { webauthnCredentials } = store.t;
  const added = await store.q
    .insert(webauthnCredentials)
    .values(credential)
    .onConflictDoNothing()
    .returning({ id: webauthnCredentials.id });
  if (added.length === 1) await storeHasFactor(store, credential.userId);
  return added.length === 1;
}

/** Signature counter of an assertion (0 if the key has none). */
type CredentialUse = OwnedCredential & { counter: number; now: Date };

/** Flags BE and BS of authenticator data (WebAuthn §6.1.3). */
export type BackupFlags = { backupEligible: boolean; backedUp: boolean };

/**
 * Records a use of the key. One statement that requires a counter higher than the stored one: of two responses with the
 * same counter one wins. 0 is accepted only while the stored counter is 0. Returns false if the counter did not
 * increase or the key does not exist.
 */
export async function touchWebauthnCredential(store: Store, use: CredentialUse): Promise<boolean> {
  if (cannotBeStored(use.id)) return false;
  const { now, ...values } = use;
  const at = encoded(store.t.webauthnCredentials.lastUsedAt, now);
  const touched = await touchStatement(store).execute({ ...values, now: at });
  return touched.length === 1;
}

const touchStatement = prepared(({ q, t: { webauthnCredentials: keys } }) => {
  const counter = sql.placeholder("counter");
  return q
    .update(keys)
    .set({ counter: sql`${counter}`, lastUsedAt: sql`${sql.placeholder("now")}` })
    .where(and(isOwnedKey(keys), or(lt(keys.counter, counter), and(eq(keys.counter, 0), eq(keys.counter, counter)))))
    .returning({ id: keys.id })
    .prepare();
});

/** Stores the backup flags of an assertion. Returns false if they are those of the key, or the user has no such key. */
export async function changeBackupFlags(
  store: Store,
  { backupEligible, backedUp, ...credential }: OwnedCredential & BackupFlags,
): Promise<boolean> {
  if (cannotBeStored(credential.id)) return false;
  const { webauthnCredentials: keys } = store.t;
  const changed = await backupFlagsStatement(store).execute({
    ...credential,
    backupEligible: encoded(keys.backupEligible, backupEligible),
    backedUp: encoded(keys.backedUp, backedUp),
  });
  return changed.length === 1;
}

const backupFlagsStatement = prepared(({ q, t: { webauthnCredentials: keys } }) => {
  const backupEligible = sql.placeholder("backupEligible");
  const backedUp = sql.placeholder("backedUp");
  return q
    .update(keys)
    .set({ backupEligible: sql`${backupEligible}`, backedUp: sql`${backedUp}` })
    .where(and(isOwnedKey(keys), or(ne(keys.backupEligible, backupEligible), ne(keys.backedUp, backedUp))))
    .returning({ id: keys.id })
    .prepare();
});

/** Matches the key of the placeholders `id` and `userId`. */
function isOwnedKey(keys: Tables["webauthnCredentials"]) {
  return and(eq(keys.id, sql.placeholder("id")), eq(keys.userId, sql.placeholder("userId")));
}

/** Flags a key that may be cloned; keeps the time of the first flag. Returns false if the user has no such key. */
export async function flagWebauthnCredential(
  store: Store,
  { now, ...credential }: OwnedCredential & { now: Date },
): Promise<boolean> {
  const { webauthnCredentials } = store.t;
  const { flaggedAt } = webauthnCredentials;
  const flagged = await store.q
    .update(webauthnCredentials)
    .set({ flaggedAt: sql`coalesce(${flaggedAt}, ${sql.param(now, flaggedAt)})` })
    .where(isOwned(store, credential))
    .returning({ id: webauthnCredentials.id });
  return flagged.length === 1;
}

/** Renames the key. Returns false if the user has no such key. */
export async function renameWebauthnCredential(
  store: Store,
  { name, ...credential }: OwnedCredential & { name: string },
): Promise<boolean> {
  const { webauthnCredentials } = store.t;
  const renamed = await store.q
    .update(webauthnCredentials)
    .set({ name })
    .where(isOwned(store, credential))
    .returning({ id: webauthnCredentials.id });
  return renamed.length === 1;
}

/** Removes the key. Returns false if the user has no such key. */
export async function removeWebauthnCredential(store: Store, credential: OwnedCredential): Promise<boolean> {
  const { webauthnCredentials } = store.t;
  const removed = await withoutFactors(store, credential.userId, () =>
    store.q.delete(webauthnCredentials).where(isOwned(store, credential)).returning({ id: webauthnCredentials.id }),
  );
  return removed.length === 1;
}

/** Removes the user's passkeys that were registered at `since` or later; all if it is null. Returns how many. */
export async function removePasskeysSince(
  store: Store,
  { userId, since }: { userId: string; since: Date | null },
): Promise<number> {
  const { webauthnCredentials: keys } = store.t;
  const isRecent = since === null ? undefined : gte(keys.createdAt, since);
  const removed = await withoutFactors(store, userId, () =>
    store.q
      .delete(keys)
      .where(and(eq(keys.userId, userId), eq(keys.isPasskey, true), isRecent))
      .returning({ id: keys.id }),
  );
  return removed.length;
}

/** A security key that is bound to another rpId. `hasTotp`: its user also has an authenticator app. */
export type BoundKey = { username: string; keyName: string; rpId: string; hasTotp: boolean };

/** Counts the security keys that are bound to another rpId. */
export async function countKeysOfOtherRp(store: Store, rpId: string): Promise<number> {
  const { webauthnCredentials } = store.t;
  return store.q.$count(webauthnCredentials, ne(webauthnCredentials.rpId, rpId));
}

/** Returns the security keys that are bound to another rpId, ordered by user name. */
export async function listKeysOfOtherRp(store: Store, rpId: string): Promise<BoundKey[]> {
  const { webauthnCredentials: keys, users, totpCredentials: totp } = store.t;
  const rows = await store.q
    .select({ username: users.username, keyName: keys.name, rpId: keys.rpId, totpUser: totp.userId })
    .from(keys)
    .innerJoin(users, eq(users.id, keys.userId))
    .leftJoin(totp, eq(totp.userId, keys.userId))
    .where(ne(keys.rpId, rpId))
    .orderBy(asc(users.usernameCanonical), asc(keys.name));
  return rows.map(({ totpUser, ...key }) => ({ ...key, hasTotp: totpUser !== null }));
}

function isOwned({ t: { webauthnCredentials } }: Store, { id, userId }: OwnedCredential) {
  // An id that cannot be stored matches no row.
  if (cannotBeStored(id)) return sql`1 = 0`;
  return and(eq(webauthnCredentials.id, id), eq(webauthnCredentials.userId, userId));
}
