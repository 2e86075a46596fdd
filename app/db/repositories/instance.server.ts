import { eq, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { only } from "#app/db/rows.server.ts";
import type { Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

const THE_ROW = 1;

/** What the first start writes down about itself. */
export type NewInstance = Pick<Instance, "keyFingerprint" | "issuer" | "rpId" | "createdAt">;

/**
 * The instance's row; the first caller makes it from `facts` (epoch 1, keys generation 0), however many come at once.
 */
export async function ensureInstance(store: Store, facts: NewInstance): Promise<Instance> {
  const found = await findInstance(store);
  if (found) return found;
  return insertInstance(store, { ...facts, epoch: 1 });
}

/** Makes the instance's row, keys generation 0, if nobody has; answers the one that is there then. */
export async function insertInstance(store: Store, facts: NewInstance & { epoch: number }): Promise<Instance> {
  await store.q
    .insert(store.t.instance)
    .values({ id: THE_ROW, keysGeneration: 0, ...facts })
    .onConflictDoNothing();
  return getInstance(store);
}

/** The instance's row, or null on a database no server has started on. */
export async function findInstance(store: Store): Promise<Instance | null> {
  const [instance] = await store.q.select().from(store.t.instance).where(eq(store.t.instance.id, THE_ROW));
  return instance ?? null;
}

/** The instance's row; throws when there is none yet. */
export async function getInstance(store: Store): Promise<Instance> {
  const instance = await findInstance(store);
  if (!instance) throw new Error("the database has no instance row yet");
  return instance;
}

const keysGeneration = prepared(({ q, t: { instance } }) =>
  q.select({ value: instance.keysGeneration }).from(instance).where(eq(instance.id, THE_ROW)).prepare(),
);

/** The number that grows with each change of the signing keys. Throws when there is no instance row yet. */
export async function getKeysGeneration(store: Store): Promise<number> {
  return only(await keysGeneration(store).execute()).value;
}

/**
 * Raises that number by one and answers the new one; another process that raises it waits until this transaction ends.
 */
export async function bumpKeysGeneration(store: Store): Promise<number> {
  const { instance } = store.t;
  const rows = await store.q
    .update(instance)
    .set({ keysGeneration: sql`${instance.keysGeneration} + 1` })
    .where(eq(instance.id, THE_ROW))
    .returning({ value: instance.keysGeneration });
  return only(rows).value;
}

/** Notes which key of SECRET_KEYS everything is sealed with from now on, by its fingerprint. */
export async function setKeyFingerprint(store: Store, keyFingerprint: string): Promise<void> {
  const { instance } = store.t;
  await store.q.update(instance).set({ keyFingerprint }).where(eq(instance.id, THE_ROW));
}

/** Notes under which address the database is in service from now on. */
export async function setAddress(store: Store, address: Pick<Instance, "issuer" | "rpId">): Promise<void> {
  const { instance } = store.t;
  await store.q.update(instance).set(address).where(eq(instance.id, THE_ROW));
}
