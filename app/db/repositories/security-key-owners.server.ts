import { asc, eq, ne } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** A security key that is bound to another rpId. `hasTotp`: its owner also has an authenticator app. */
export type BoundKey = { username: string; keyName: string; rpId: string; hasTotp: boolean };

/** Counts the security keys that are bound to another rpId. */
export async function countKeysOfOtherRp(store: Store, rpId: string): Promise<number> {
  const { webauthnCredentials } = store.t;
  return store.q.$count(webauthnCredentials, ne(webauthnCredentials.rpId, rpId));
}

/** Returns the security keys that are bound to another rpId, ordered by the owner's user name. */
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
