import { asc } from "drizzle-orm";
import type { NewSigningKey, SigningKey } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** All signing keys, oldest first. */
export async function listSigningKeys(store: Store): Promise<SigningKey[]> {
  const { signingKeys } = store.t;
  return store.q.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.kid));
}

/** Adds a key. False when its algorithm has a current (or next) one already: another process was first. */
export async function insertSigningKey(store: Store, key: NewSigningKey): Promise<boolean> {
  const { signingKeys } = store.t;
  const added = await store.q.insert(signingKeys).values(key).onConflictDoNothing().returning({ kid: signingKeys.kid });
  return added.length === 1;
}
