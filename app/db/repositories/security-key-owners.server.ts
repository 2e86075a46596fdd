import { asc, eq, ne } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** A security key that another host is not offered, and whose it is. `hasTotp`: the owner has an authenticator app too. */
export type BoundKey = { username: string; keyName: string; rpId: string; hasTotp: boolean };

/** How many security keys are bound to another relying party than this one. */
export async function countKeysOfOtherRp(store: Store, rpId: string): Promise<number> {
  const { webauthnCredentials } = store.t;
  return store.q.$count(webauthnCredentials, ne(webauthnCredentials.rpId, rpId));
}

/** The security keys that are bound to another relying party than this one, by the names of their owners. */
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
