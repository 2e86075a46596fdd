import { and, eq, isNull, not, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";
import { resetTime, usesOlderAccount } from "./mailed-passwords.server.ts";
import { storeFoldedNames } from "./users.server.ts";

/**
 * Stores a password that the user chose in the settings after giving the current one. The caller increments the
 * generation in the same transaction. If the current password was set by a mailed link and never proven, the new one
 * counts as set by that link and the reset stays unseen (docs/decisions/027-mailed-passwords.md), unless the settings
 * session began at a provider (`isFederated`) with an account that was connected before the reset.
 */
export async function storeChosenPassword(
  store: Store,
  id: string,
  { hash, at, isFederated }: { hash: string; at: Date; isFederated: boolean },
): Promise<void> {
  const { users } = store.t;
  const isOwner = isFederated ? usesOlderAccount(store, id) : sql`false`;
  const isUnproven = and(eq(users.passwordSetHow, "link"), isNull(users.passwordProvenAt), not(isOwner));
  await store.q
    .update(users)
    .set({
      passwordHash: hash,
      passwordSetAt: at,
      passwordSetHow: sql`case when ${isUnproven} then ${users.passwordSetHow} else 'settings' end`,
      passwordProvenAt: null,
      passwordResetUnseen: sql`case when ${isUnproven} then ${users.passwordResetUnseen} else false end`,
      passwordMailedAt: sql`case when ${isUnproven} then ${resetTime(store)} end`,
    })
    .where(eq(users.id, id));
}

/**
 * Stores another user name. An existing one is a unique violation (`store.isUnique`). The caller increments the
 * generation in the same transaction.
 */
export async function storeUsername(
  store: Store,
  id: string,
  { username, canonical }: { username: string; canonical: string },
): Promise<void> {
  const { users } = store.t;
  const [user] = await store.q
    .update(users)
    .set({ username, usernameCanonical: canonical })
    .where(eq(users.id, id))
    .returning();
  if (user) await storeFoldedNames(store, user);
}
