import { asc, eq, inArray } from "drizzle-orm";
import type { NewSigningKey, SigningKey } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Returns all signing keys, oldest first. */
export async function listSigningKeys(store: Store): Promise<SigningKey[]> {
  const { signingKeys } = store.t;
  return store.q.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.kid));
}

/** Adds a key. Returns false if its algorithm already has a current (or next) key, created by another process. */
export async function insertSigningKey(store: Store, key: NewSigningKey): Promise<boolean> {
  const { signingKeys } = store.t;
  const added = await store.q.insert(signingKeys).values(key).onConflictDoNothing().returning({ kid: signingKeys.kid });
  return added.length === 1;
}

/** The columns that a rotation changes. */
type KeyChange = Pick<SigningKey, "state"> & Partial<Pick<SigningKey, "activatedAt" | "retiredAt">>;

/** Changes the state of a key. A second current (or next) key of its algorithm is a unique violation. */
export async function setSigningKeyState(store: Store, kid: string, change: KeyChange): Promise<void> {
  await store.q.update(store.t.signingKeys).set(change).where(eq(store.t.signingKeys.kid, kid));
}

/** Removes these keys and returns the ids of those that existed. */
export async function removeSigningKeys(store: Store, kids: readonly string[]): Promise<string[]> {
  const { signingKeys } = store.t;
  const removed = await store.q
    .delete(signingKeys)
    .where(inArray(signingKeys.kid, [...kids]))
    .returning({ kid: signingKeys.kid });
  return removed.map(({ kid }) => kid);
}
