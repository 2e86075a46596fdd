import { and, eq, isNull, sql } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/**
 * Stores a password that the user chose in the settings, where the present one was given. A part of a larger change: the
 * same transaction raises the user's generation. `isOwner`: the session of the settings proves more than the password.
 * Without it, a password that a mailed link set and that was never proven stays one that a mailed link set, and its
 * reset stays unseen (docs/decisions/027-mailed-passwords.md).
 */
export async function storeChosenPassword(
  store: Store,
  id: string,
  { hash, at, isOwner }: { hash: string; at: Date; isOwner: boolean },
): Promise<void> {
  const { users } = store.t;
  const isUnproven = isOwner
    ? sql`false`
    : sql`${and(eq(users.passwordSetHow, "link"), isNull(users.passwordProvenAt))}`;
  await store.q
    .update(users)
    .set({
      passwordHash: hash,
      passwordSetAt: at,
      passwordSetHow: sql`case when ${isUnproven} then ${users.passwordSetHow} else 'settings' end`,
      passwordProvenAt: null,
      passwordResetUnseen: sql`case when ${isUnproven} then ${users.passwordResetUnseen} else false end`,
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
