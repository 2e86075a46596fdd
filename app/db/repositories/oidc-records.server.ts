import { and, asc, eq, gt, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { NewOidcRecord, OidcRecord, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** A record as the engine saves it; whether it was consumed is decided by `consumeRecord` alone. */
export type RecordToSave = Omit<NewOidcRecord, "consumedAt">;

const upsert = prepared(({ q, t: { oidcRecords } }) => {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  return q
    .insert(oidcRecords)
    .values({
      model: value("model"),
      id: value("id"),
      payload: value("payload"),
      grantId: value("grantId"),
      accountId: value("accountId"),
      clientId: value("clientId"),
      userCode: value("userCode"),
      uid: value("uid"),
      expiresAt: value("expiresAt"),
    })
    .onConflictDoUpdate({
      target: [oidcRecords.model, oidcRecords.id],
      set: {
        payload: sql`excluded.payload`,
        grantId: sql`excluded.grant_id`,
        accountId: sql`excluded.account_id`,
        clientId: sql`excluded.client_id`,
        userCode: sql`excluded.user_code`,
        uid: sql`excluded.uid`,
        expiresAt: sql`excluded.expires_at`,
      },
    })
    .prepare();
});

/** Stores the record, or replaces the one of the same model and id. A consumed one stays consumed. */
export async function saveRecord(store: Store, record: RecordToSave): Promise<void> {
  const { oidcRecords } = store.t;
  await upsert(store).execute({
    model: record.model,
    id: record.id,
    payload: encoded(oidcRecords.payload, record.payload),
    grantId: record.grantId ?? null,
    accountId: record.accountId ?? null,
    clientId: record.clientId ?? null,
    userCode: record.userCode ?? null,
    uid: record.uid ?? null,
    expiresAt: encoded(oidcRecords.expiresAt, record.expiresAt ?? null),
  });
}

const byId = finder((t) => t.id);
const byUid = finder((t) => t.uid);
const byUserCode = finder((t) => t.userCode);

/** The record, also a consumed or expired one: what that means is the engine's to say. */
export async function findRecord(store: Store, model: string, id: string): Promise<OidcRecord | null> {
  return findOne(byId(store), model, id);
}

/** The record of this model with this uid (sessions). */
export async function findRecordByUid(store: Store, model: string, uid: string): Promise<OidcRecord | null> {
  return findOne(byUid(store), model, uid);
}

/** The record of this model with this user code (device flow). */
export async function findRecordByUserCode(store: Store, model: string, userCode: string): Promise<OidcRecord | null> {
  return findOne(byUserCode(store), model, userCode);
}

type Records = Tables["oidcRecords"];

function finder(keyOf: (records: Records) => Records["id"] | Records["uid"] | Records["userCode"]) {
  return prepared(({ q, t: { oidcRecords } }) =>
    q
      .select()
      .from(oidcRecords)
      .where(and(eq(oidcRecords.model, sql.placeholder("model")), eq(keyOf(oidcRecords), sql.placeholder("key"))))
      .limit(1)
      .prepare(),
  );
}

async function findOne(
  query: { execute(values: { model: string; key: string }): Promise<OidcRecord[]> },
  model: string,
  key: string,
): Promise<OidcRecord | null> {
  if (cannotBeStored(key)) return null;
  const [record] = await query.execute({ model, key });
  return record ?? null;
}

const consume = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ consumedAt: sql`${sql.placeholder("now")}` })
    .where(and(hasIds(oidcRecords), isNull(oidcRecords.consumedAt)))
    .returning({ id: oidcRecords.id })
    .prepare(),
);

function hasIds(records: Records) {
  return and(eq(records.model, sql.placeholder("model")), eq(records.id, sql.placeholder("id")));
}

/**
 * Spends a code or token: true for exactly one caller, however many come at once; false when it is spent or gone.
 * One conditional statement (RFC 6749 section 4.1.2: a code is used once).
 */
export async function consumeRecord(store: Store, model: string, id: string, now: Date): Promise<boolean> {
  const at = encoded(store.t.oidcRecords.consumedAt, now);
  const consumed = await consume(store).execute({ model, id, now: at });
  return consumed.length === 1;
}

const remove = prepared(({ q, t: { oidcRecords } }) => q.delete(oidcRecords).where(hasIds(oidcRecords)).prepare());

/** Removes one record; nothing happens when it is gone. */
export async function removeRecord(store: Store, model: string, id: string): Promise<void> {
  await remove(store).execute({ model, id });
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

/** Removes all records of a client. */
export async function removeRecordsOfClient(store: Store, clientId: string): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q.delete(oidcRecords).where(eq(oidcRecords.clientId, clientId));
}

type Kept = { model: string; maxLength: number };

/**
 * Removes at most `batchSize` records whose time was over at `before`; with `after`, only such as ran out later than
 * that; and of the model in `except` only those whose payload is longer than `maxLength` characters of JSON. Answers how many. In batches, because one statement over 100,000 rows holds the
 * only writer of a SQLite file for seconds.
 */
export async function removeExpiredRecords(
  store: Store,
  { after, before, batchSize, except }: { after?: Date; before: Date; batchSize: number; except?: Kept },
): Promise<number> {
  const { oidcRecords } = store.t;
  const { model, id, expiresAt, payload } = oidcRecords;
  const batch = store.q
    .select({ model, id })
    .from(oidcRecords)
    .where(
      and(
        lte(expiresAt, before),
        after === undefined ? undefined : gt(expiresAt, after),
        except && or(ne(model, except.model), sql`length(cast(${payload} as text)) > ${except.maxLength}`),
      ),
    )
    // The oldest first: so SQLite reads the index on the time.
    .orderBy(asc(expiresAt))
    .limit(batchSize);
  const removed = await store.q.delete(oidcRecords).where(sql`(${model}, ${id}) in ${batch}`).returning({ id });
  return removed.length;
}
