import { and, asc, desc, eq, gt, inArray, lte, ne, or } from "drizzle-orm";
import { getOnly } from "#app/db/rows.server.ts";
import type { NewRememberedDevice, RememberedDevice } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isInSlice, type UserSlice } from "./user-slices.server.ts";

/** Stores a device, and replaces the one of the same user and browser except its id. Returns the stored row. */
export async function putRememberedDevice(store: Store, device: NewRememberedDevice): Promise<RememberedDevice> {
  const { rememberedDevices } = store.t;
  const { id: _id, userId: _userId, browserHash: _browserHash, ...values } = device;
  const rows = await store.q
    .insert(rememberedDevices)
    .values(device)
    .onConflictDoUpdate({ target: [rememberedDevices.userId, rememberedDevices.browserHash], set: values })
    .returning();
  return getOnly(rows);
}

/** Returns the device of this user and browser with this token, whatever its generation and age. */
export async function findRememberedDevice(
  store: Store,
  { userId, browserHash, tokenHash }: Pick<RememberedDevice, "userId" | "browserHash" | "tokenHash">,
): Promise<RememberedDevice | null> {
  const { rememberedDevices: t } = store.t;
  const [device] = await store.q
    .select()
    .from(t)
    .where(and(eq(t.userId, userId), eq(t.browserHash, browserHash), eq(t.tokenHash, tokenHash)));
  return device ?? null;
}

/** Lists the user's unexpired devices of this generation, the newest first. */
export async function listRememberedDevices(
  store: Store,
  { userId, generation, now }: { userId: string; generation: number; now: Date },
): Promise<RememberedDevice[]> {
  const { rememberedDevices: t } = store.t;
  return store.q
    .select()
    .from(t)
    .where(and(eq(t.userId, userId), eq(t.generation, generation), gt(t.expiresAt, now)))
    .orderBy(desc(t.createdAt), asc(t.id));
}

/** Deletes a device of this user. Returns false if the user has no such device. */
export async function removeRememberedDevice(store: Store, { userId, id }: { userId: string; id: string }) {
  const { rememberedDevices: t } = store.t;
  const removed = await store.q
    .delete(t)
    .where(and(eq(t.userId, userId), eq(t.id, id)))
    .returning({ id: t.id });
  return removed.length === 1;
}

/**
 * Removes up to `batchSize` devices of the users in `slice` that expired at or before `before`, were remembered at or
 * before `rememberedBefore`, or have an older generation. Returns how many.
 */
export async function removeInvalidDevices(
  store: Store,
  {
    slice,
    before,
    rememberedBefore,
    batchSize,
  }: { slice: UserSlice; before: Date; rememberedBefore: Date; batchSize: number },
): Promise<number> {
  const { rememberedDevices: t, users } = store.t;
  const isInvalid = or(
    lte(t.expiresAt, before),
    lte(t.createdAt, rememberedBefore),
    ne(t.generation, users.generation),
  );
  const batch = store.q
    .select({ id: t.id })
    .from(t)
    .innerJoin(users, eq(users.id, t.userId))
    .where(and(isInSlice(t.userId, slice), isInvalid))
    .limit(batchSize);
  const removed = await store.q.delete(t).where(inArray(t.id, batch)).returning({ id: t.id });
  return removed.length;
}
