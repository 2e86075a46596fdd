import { and, eq, inArray, isNull, lte, notInArray, type SQL, sql } from "drizzle-orm";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { JsonObject, NewOidcRecord, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** A record as the engine saves it; whether it was consumed is decided by `consumeRecord` alone. */
export type RecordToSave = Omit<NewOidcRecord, "consumedAt">;

/** Stores the record, or replaces the one of the same model and id. A consumed one stays consumed. */
export async function saveRecord(store: Store, record: RecordToSave): Promise<void> {
  const { oidcRecords } = store.t;
  const { model, id, ...content } = record;
  const replaced = {
    payload: content.payload,
    grantId: content.grantId ?? null,
    accountId: content.accountId ?? null,
    clientId: content.clientId ?? null,
    userCode: content.userCode ?? null,
    uid: content.uid ?? null,
    expiresAt: content.expiresAt ?? null,
  };
  await store.q
    .insert(oidcRecords)
    .values({ model, id, ...replaced })
    .onConflictDoUpdate({ target: [oidcRecords.model, oidcRecords.id], set: replaced });
}

/** The record, also a consumed or expired one: what that means is the engine's to say. */
export async function findRecord(store: Store, model: string, id: string): Promise<OidcRecord | null> {
  return findOne(store, model, id, eq(store.t.oidcRecords.id, id));
}

/** The record of this model with this uid (sessions). */
export async function findRecordByUid(store: Store, model: string, uid: string): Promise<OidcRecord | null> {
  return findOne(store, model, uid, eq(store.t.oidcRecords.uid, uid));
}

/** The record of this model with this user code (device flow). */
export async function findRecordByUserCode(store: Store, model: string, userCode: string): Promise<OidcRecord | null> {
  return findOne(store, model, userCode, eq(store.t.oidcRecords.userCode, userCode));
}

async function findOne(store: Store, model: string, key: string, matches: SQL): Promise<OidcRecord | null> {
  if (cannotBeStored(key)) return null;
  const { oidcRecords } = store.t;
  const [record] = await store.q
    .select()
    .from(oidcRecords)
    .where(and(eq(oidcRecords.model, model), matches))
    .limit(1);
  return record ?? null;
}

/**
 * Spends a code or token: true for exactly one caller, however many come at once; false when it is spent or gone.
 * One conditional statement (RFC 6749 section 4.1.2: a code is used once).
 */
export async function consumeRecord(store: Store, model: string, id: string, now: Date): Promise<boolean> {
  const { oidcRecords } = store.t;
  const consumed = await store.q
    .update(oidcRecords)
    .set({ consumedAt: now })
    .where(and(eq(oidcRecords.model, model), eq(oidcRecords.id, id), isNull(oidcRecords.consumedAt)))
    .returning({ id: oidcRecords.id });
  return consumed.length === 1;
}

/** Consumes a record and leaves other content in it, until another time. Does nothing when it is gone. */
export async function retireRecord(
  store: Store,
  model: string,
  id: string,
  kept: { payload: JsonObject; consumedAt: Date; expiresAt: Date },
): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q
    .update(oidcRecords)
    .set({ ...kept, grantId: null, accountId: null, uid: null, userCode: null })
    .where(and(eq(oidcRecords.model, model), eq(oidcRecords.id, id)));
}

/** Removes one record; nothing happens when it is gone. */
export async function removeRecord(store: Store, model: string, id: string): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q.delete(oidcRecords).where(and(eq(oidcRecords.model, model), eq(oidcRecords.id, id)));
}

/** Removes the records of a model that belong to a grant. */
export async function removeRecordsOfGrant(store: Store, model: string, grantId: string): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q.delete(oidcRecords).where(and(eq(oidcRecords.model, model), eq(oidcRecords.grantId, grantId)));
}

/** Removes the records of a user that are of these models. Answers how many. */
export async function removeRecordsOfAccount(
  store: Store,
  accountId: string,
  models: readonly string[],
): Promise<number> {
  const { oidcRecords } = store.t;
  const removed = await store.q
    .delete(oidcRecords)
    .where(and(eq(oidcRecords.accountId, accountId), inArray(oidcRecords.model, [...models])))
    .returning({ id: oidcRecords.id });
  return removed.length;
}

/** Removes at most `batchSize` records whose time was over at `before`, but none of the models in `except`. Answers how many. */
export async function removeExpiredRecords(
  store: Store,
  { before, batchSize, except }: { before: Date; batchSize: number; except: readonly string[] },
): Promise<number> {
  const { oidcRecords } = store.t;
  const others = except.length > 0 ? notInArray(oidcRecords.model, [...except]) : undefined;
  return removeBatch(store, and(lte(oidcRecords.expiresAt, before), others), batchSize);
}

/** Removes at most `batchSize` records of one model whose time was over at `before`. Answers how many. */
export async function removeExpiredRecordsOf(
  store: Store,
  model: string,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { oidcRecords } = store.t;
  return removeBatch(store, and(lte(oidcRecords.expiresAt, before), eq(oidcRecords.model, model)), batchSize);
}

/** In batches, because one statement over 100,000 rows holds the only writer of a SQLite file for seconds. */
async function removeBatch(store: Store, matches: SQL | undefined, batchSize: number): Promise<number> {
  const { oidcRecords } = store.t;
  const batch = store.q
    .select({ model: oidcRecords.model, id: oidcRecords.id })
    .from(oidcRecords)
    .where(matches)
    .limit(batchSize);
  const removed = await store.q
    .delete(oidcRecords)
    .where(sql`(${oidcRecords.model}, ${oidcRecords.id}) in ${batch}`)
    .returning({ id: oidcRecords.id });
  return removed.length;
}
