import { eq, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import { getOnly } from "#app/db/rows.server.ts";
import type { Instance } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

const ROW_ID = 1;

/** The values that the first start stores. */
export type NewInstance = Pick<Instance, "keyFingerprint" | "issuer" | "rpId" | "createdAt">;

/**
 * Returns the instance row. The first of all concurrent callers creates it from `newInstance` (epoch 1, keys generation 0).
 */
export async function ensureInstance(store: Store, newInstance: NewInstance): Promise<Instance> {
  const found = await findInstance(store);
  if (found) return found;
  return insertInstance(store, { ...newInstance, epoch: 1 });
}

/** Creates the instance row with keys generation 0 unless it exists; returns the existing row. */
export async function insertInstance(store: Store, newInstance: NewInstance & { epoch: number }): Promise<Instance> {
  await store.q
    .insert(store.t.instance)
    .values({ id: ROW_ID, keysGeneration: 0, ...newInstance })
    .onConflictDoNothing();
  return getInstance(store);
}

/** Returns the instance row; null if no server has started on this database yet. */
export async function findInstance(store: Store): Promise<Instance | null> {
  const [instance] = await instanceStatement(store).execute();
  return instance ?? null;
}

const instanceStatement = prepared(({ q, t: { instance } }) =>
  q.select().from(instance).where(eq(instance.id, ROW_ID)).prepare(),
);

/** Returns the instance row; throws if it does not exist yet. */
export async function getInstance(store: Store): Promise<Instance> {
  const instance = await findInstance(store);
  if (!instance) throw new Error("the database has no instance row yet");
  return instance;
}

const keysGenerationStatement = prepared(({ q, t: { instance } }) =>
  q.select({ value: instance.keysGeneration }).from(instance).where(eq(instance.id, ROW_ID)).prepare(),
);

/** Returns the generation of the signing keys, which each change increments. Throws if there is no instance row yet. */
export async function getKeysGeneration(store: Store): Promise<number> {
  return getOnly(await keysGenerationStatement(store).execute()).value;
}

/** Increments the keys generation and returns it. Concurrent calls wait until this transaction ends. */
export async function incrementKeysGeneration(store: Store): Promise<number> {
  const { instance } = store.t;
  const rows = await store.q
    .update(instance)
    .set({ keysGeneration: sql`${instance.keysGeneration} + 1` })
    .where(eq(instance.id, ROW_ID))
    .returning({ value: instance.keysGeneration });
  return getOnly(rows).value;
}

/** Stores the fingerprint of the secret key that encrypts everything from now on. */
export async function setKeyFingerprint(store: Store, keyFingerprint: string): Promise<void> {
  const { instance } = store.t;
  await store.q.update(instance).set({ keyFingerprint }).where(eq(instance.id, ROW_ID));
}

/** Stores the issuer and rpId of the instance. */
export async function setIssuer(store: Store, address: Pick<Instance, "issuer" | "rpId">): Promise<void> {
  const { instance } = store.t;
  await store.q.update(instance).set(address).where(eq(instance.id, ROW_ID));
}
