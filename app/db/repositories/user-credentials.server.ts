import { and, eq, isNull, not, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";
import { resetTime, usesOlderAccount } from "./mailed-passwords.server.ts";

/**
 * Stores a password that the user chose in the settings, where the present one was given. A part of a larger change: the
 * same transaction raises the user's generation. A password that a mailed link set and that was never proven stays one
 * that a mailed link set, and its reset stays unseen (docs/decisions/027-mailed-passwords.md); not so where the session
 * of the settings began at a provider (`isFederated`), with an account that was connected before the reset.
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
