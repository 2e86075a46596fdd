import { eq } from "drizzle-orm";
import type { PasswordOrigin } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Stores a password. A part of a larger change: the same transaction raises the user's generation. */
export async function storePasswordHash(
  store: Store,
  id: string,
  { hash, how, at }: { hash: string; how: PasswordOrigin; at: Date },
): Promise<void> {
  const { users } = store.t;
  await store.q
    .update(users)
    .set({
      passwordHash: hash,
      passwordSetAt: at,
      passwordSetHow: how,
      passwordProvenAt: null,
      passwordResetUnseen: false,
    })
    .where(eq(users.id, id));
}

/**
 * Stores another user name. A taken one is a unique violation (`store.isUnique`). A part of a larger change: the same
 * transaction raises the user's generation.
 */
export async function storeUsername(
  store: Store,
  id: string,
  { username, canonical }: { username: string; canonical: string },
): Promise<void> {
  const { users } = store.t;
  await store.q.update(users).set({ username, usernameCanonical: canonical }).where(eq(users.id, id));
}
