import { aliasedTable, and, asc, eq, gt, inArray, isNull, lte, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { Client, JsonObject, NewOidcRecord, OidcRecord, Tables, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SealedSecret } from "#app/ports.ts";
import { IS_MFA_REQUIRED_OF_USER, MAY_USE_CLIENT } from "./group-members.server.ts";

/** A record as the engine saves it. Only `consumeRecord` and its variants consume it, only the removals destroy it. */
export type RecordToSave = Omit<NewOidcRecord, "consumedAt" | "destroyedAt" | "sealedSuccessor">;

/** Placeholders of a statement that saves a record. */
const SAVED = {
  model: placeholder("model"),
  id: placeholder("id"),
  payload: placeholder("payload"),
  grantId: placeholder("grantId"),
  accountId: placeholder("accountId"),
  clientId: placeholder("clientId"),
  userCode: placeholder("userCode"),
  uid: placeholder("uid"),
  expiresAt: placeholder("expiresAt"),
};

/** The columns that an upsert overwrites in a live row of the same model and id. */
const EXCLUDED = {
  payload: sql`excluded.payload`,
  grantId: sql`excluded.grant_id`,
  accountId: sql`excluded.account_id`,
  clientId: sql`excluded.client_id`,
  userCode: sql`excluded.user_code`,
  uid: sql`excluded.uid`,
  expiresAt: sql`excluded.expires_at`,
};

function placeholder(name: string): SQL {
  return sql`${sql.placeholder(name)}`;
}

function valuesOf(store: Store, record: RecordToSave) {
  const { oidcRecords } = store.t;
  return {
    model: record.model,
    id: record.id,
    payload: encoded(oidcRecords.payload, record.payload),
    grantId: record.grantId ?? null,
    accountId: record.accountId ?? null,
    clientId: record.clientId ?? null,
    userCode: record.userCode ?? null,
    uid: record.uid ?? null,
    expiresAt: encoded(oidcRecords.expiresAt, record.expiresAt ?? null),
  };
}

const upsertStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .insert(oidcRecords)
    .values(SAVED)
    .onConflictDoUpdate({
      target: [oidcRecords.model, oidcRecords.id],
      set: EXCLUDED,
      // A finished interaction keeps its content.
      setWhere: sql`${oidcRecords.destroyedAt} is null and (${oidcRecords.model} <> 'Interaction' or ${oidcRecords.consumedAt} is null)`,
    })
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/**
 * Inserts the record, or replaces the one of the same model and id; a consumed record stays consumed.
 * @returns false, without writing, if the record was destroyed or is a finished interaction
 */
export async function saveRecord(store: Store, record: RecordToSave): Promise<boolean> {
  return isOne(await upsertStatement(store).execute(valuesOf(store, record)));
}

const insertOnceStatement = prepared(({ q, t: { oidcRecords } }) =>
  q.insert(oidcRecords).values(SAVED).onConflictDoNothing().returning({ id: oidcRecords.id }).prepare(),
);

/** Inserts a record that does not exist yet, in one statement: of concurrent calls one returns true. */
export async function insertRecordOnce(store: Store, record: RecordToSave): Promise<boolean> {
  return isOne(await insertOnceStatement(store).execute(valuesOf(store, record)));
}

const updateStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set(withoutKey(SAVED))
    .where(and(hasIds(oidcRecords), isNull(oidcRecords.destroyedAt)))
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/** Replaces an existing record. Returns false, without writing, if it was destroyed or removed. */
export async function updateRecord(store: Store, record: RecordToSave): Promise<boolean> {
  return isOne(await updateStatement(store).execute(valuesOf(store, record)));
}

function withoutKey({ model: _model, id: _id, ...rest }: typeof SAVED) {
  return rest;
}

/** Matches if the session with this uid has ended, which leaves a tombstone. `uid`: a placeholder or a column. */
function hasEnded(uid: SQL): SQL {
  return sql`exists (select 1 from oidc_records ended where ended.model = 'Session' and ended.uid = ${uid} and ended.destroyed_at is not null)`;
}

const LIVE_SESSION = sql`exists (select 1 from oidc_records live where live.model = 'Session' and live.uid = ${SAVED.uid} and live.destroyed_at is null)`;

/** Matches if the session is unchanged since it was read; compared as text, as in `replaceInteraction`. */
function isUnchanged({ payload }: Tables["oidcRecords"]): SQL {
  return sql`cast(${payload} as text) = ${placeholder("readPayload")}`;
}

const upsertLiveSessionStatement = prepared((store) =>
  insertIf(store, sql`${LIVE_SESSION} and not ${hasEnded(SAVED.uid)}`)
    .onConflictDoUpdate({
      target: [store.t.oidcRecords.model, store.t.oidcRecords.id],
      set: EXCLUDED,
      setWhere: sql`${store.t.oidcRecords.destroyedAt} is null and ${isUnchanged(store.t.oidcRecords)}`,
    })
    .returning({ id: store.t.oidcRecords.id })
    .prepare(),
);

const renameSessionStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ ...withoutKey(SAVED), id: SAVED.id })
    .where(
      and(
        eq(oidcRecords.model, "Session"),
        eq(oidcRecords.id, sql.placeholder("formerId")),
        isNull(oidcRecords.destroyedAt),
        sql`not ${hasEnded(SAVED.uid)}`,
        isUnchanged(oidcRecords),
      ),
    )
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/** A session to save. `read`: the payload that was read, as JSON; `formerId`: its id before a rename. */
type SessionToSave = { record: RecordToSave & { uid: string }; read: string; formerId: string | null };

/**
 * Saves a session that was read before, if a row of its uid exists and it has not ended. Changes of other requests since
 * then are kept (`mergePayloads`). A session that two requests rename is stored under both ids, so that both cookies
 * stay valid. Returns false, without writing, if the session has ended.
 */
export async function saveLiveSession(store: Store, { record, read, formerId }: SessionToSave): Promise<boolean> {
  const values = { ...valuesOf(store, record), readPayload: read };
  if (formerId !== null && isOne(await renameSessionStatement(store).execute({ ...values, formerId }))) return true;
  const former = formerId === null ? null : await findSession(store, formerId);
  if (!former && isOne(await upsertLiveSessionStatement(store).execute(values))) return true;
  const changed = (former ?? (await findSession(store, record.id)))?.session.payload;
  // Refused for another reason than a change: the session ends at this moment.
  if (!changed || JSON.stringify(changed) === read) return false;
  const payload = mergePayloads({ read: JSON.parse(read), own: record.payload, changed });
  return saveLiveSession(store, { record: { ...record, payload }, read: JSON.stringify(changed), formerId });
}

/**
 * Merges two changes of a session: what this request has not changed is that of the other one. Clients are merged one by
 * one, so that a session that signs in to two applications at once has both. If the other request has signed another user
 * in, its changes are replaced.
 */
function mergePayloads({ read, own, changed }: Record<"read" | "own" | "changed", JsonObject>): JsonObject {
  if (own.accountId !== changed.accountId) return own;
  const merged = mergeMembers({ read, own, changed });
  const authorizations = mergeMembers({
    read: Object(read.authorizations),
    own: Object(own.authorizations),
    changed: Object(changed.authorizations),
  });
  return { ...merged, authorizations };
}

function mergeMembers({ read, own, changed }: Record<"read" | "own" | "changed", JsonObject>): JsonObject {
  const isOwn = (name: string) => JSON.stringify(own[name]) !== JSON.stringify(read[name]);
  const names = [...new Set([...Object.keys(read), ...Object.keys(own)])].filter(isOwn);
  // A member that this request has removed is undefined, which JSON omits.
  return { ...changed, ...Object.fromEntries(names.map((name) => [name, own[name]])) };
}

const LIVE_GRANT = sql`exists (select 1 from oidc_records live where live.model = 'Grant' and live.id = ${SAVED.grantId} and live.destroyed_at is null)`;

const insertUnderGrantStatement = prepared((store) =>
  insertIf(store, sql`${LIVE_GRANT} and not ${hasEnded(placeholder("sessionUid"))}`)
    .onConflictDoUpdate({
      target: [store.t.oidcRecords.model, store.t.oidcRecords.id],
      // A repeated refresh stores the same token: the existing row stays as it is.
      set: { id: sql`excluded.id` },
      setWhere: isNull(store.t.oidcRecords.destroyedAt),
    })
    .returning({ id: store.t.oidcRecords.id })
    .prepare(),
);

/**
 * Stores a code or token, in one statement, if its grant exists and is not destroyed. `sessionUid`: a session that must
 * not have ended; null if the token outlives its session. Returns false if nothing was written.
 */
export async function insertUnderLiveGrant(
  store: Store,
  record: RecordToSave & { grantId: string },
  sessionUid: string | null,
): Promise<boolean> {
  return isOne(await insertUnderGrantStatement(store).execute({ ...valuesOf(store, record), sessionUid }));
}

/** Builds `insert … select … where`; PostgreSQL infers the types of the placeholders from the columns. */
function insertIf({ q, t: { oidcRecords } }: Store, condition: SQL) {
  const { model, id, payload, grantId, accountId, clientId, userCode, uid, expiresAt } = SAVED;
  const values = [model, id, payload, grantId, accountId, clientId, userCode, uid, expiresAt];
  return q.insert(oidcRecords).select(sql`select ${sql.join(values, sql`, `)}, null, null, null where ${condition}`);
}

function isOne(rows: readonly unknown[]): boolean {
  return rows.length === 1;
}

const byId = finder((t) => t.id);
const byUid = finder((t) => t.uid);
const sessionByUid = finder((t) => t.uid, hasNotEnded);

/** Returns the record, even if consumed or expired, which the engine checks. Null if it was destroyed. */
export async function findRecord(store: Store, model: string, id: string): Promise<OidcRecord | null> {
  return findOne(byId(store), model, id);
}

const sessionStatement = prepared(({ q, t: { oidcRecords, users } }) =>
  q
    .select({ session: oidcRecords, user: users })
    .from(oidcRecords)
    .leftJoin(users, eq(users.id, oidcRecords.accountId))
    .where(and(eq(oidcRecords.model, "Session"), eq(oidcRecords.id, sql.placeholder("id")), hasNotEnded(oidcRecords)))
    .limit(1)
    .prepare(),
);

/** Returns a session that has not ended, and its user. */
export async function findSession(
  store: Store,
  id: string,
): Promise<{ session: OidcRecord; user: User | null } | null> {
  if (cannotBeStored(id)) return null;
  const [found] = await sessionStatement(store).execute({ id });
  return found ?? null;
}

/** Returns the record of this model with this uid (sessions). */
export async function findRecordByUid(store: Store, model: string, uid: string): Promise<OidcRecord | null> {
  return findOne((model === "Session" ? sessionByUid : byUid)(store), model, uid);
}

/** The columns of a grant, code or token that requests of oidc-provider read. */
type ReadColumn = "model" | "id" | "payload" | "accountId" | "expiresAt" | "consumedAt";

/** Selects the columns of `ReadColumn`: the conversion of a column takes as long as SQLite needs for it. */
function readColumns({ model, id, payload, accountId, expiresAt, consumedAt }: Records): Pick<Records, ReadColumn> {
  return { model, id, payload, accountId, expiresAt, consumedAt };
}

/** A grant with the current generation of its user, which is null if the user was removed. */
export type GrantRow = Pick<OidcRecord, ReadColumn> & { generation: number | null };

const grantByIdStatement = prepared(({ q, t: { oidcRecords, users } }) =>
  q
    .select({ ...readColumns(oidcRecords), generation: users.generation })
    .from(oidcRecords)
    .leftJoin(users, eq(users.id, oidcRecords.accountId))
    .where(
      and(eq(oidcRecords.model, "Grant"), eq(oidcRecords.id, sql.placeholder("id")), isNull(oidcRecords.destroyedAt)),
    )
    .limit(1)
    .prepare(),
);

/** Returns a grant that is not destroyed. */
export async function findGrantRecord(store: Store, id: string): Promise<GrantRow | null> {
  if (cannotBeStored(id)) return null;
  const [grant] = await grantByIdStatement(store).execute({ id });
  return grant ?? null;
}

/** Codes and tokens: each is stored once and is invalid without its grant. */
export const TOKENS = ["AuthorizationCode", "AccessToken", "RefreshToken"] as const;

/** Grants, and the codes and tokens under them. */
export const RECORDS_OF_GRANTS = ["Grant", ...TOKENS] as const;

/**
 * A code or token, and the rows without which it is invalid; each is null if it is gone. `isAccessLost`: the user may no
 * longer use the client. `isMfaRequiredOfUser`: a group or the role of the user requires a second factor; of a code or refresh
 * token only.
 */
export type TokenRows = {
  token: Pick<OidcRecord, ReadColumn>;
  grant: Pick<OidcRecord, ReadColumn> | null;
  user: User | null;
  client: Client | null;
  isAccessLost: boolean;
  isMfaRequiredOfUser: boolean;
};

// `case`, because SQLite runs the subqueries of an `and` in any case. An access token is checked for access alone.
const IS_ACCESS_LOST =
  sql<boolean>`case when clients.access = 'groups' then not ${MAY_USE_CLIENT} else false end`.mapWith(Boolean);
const IS_MFA_REQUIRED_FOR_TOKEN =
  sql<boolean>`case when oidc_records.model = 'AccessToken' then false else ${IS_MFA_REQUIRED_OF_USER} end`.mapWith(
    Boolean,
  );

const tokenStatement = prepared(({ q, t: { oidcRecords, users, clients } }) => {
  const grants = aliasedTable(oidcRecords, "grants");
  return q
    .select({
      token: readColumns(oidcRecords),
      grant: readColumns(grants),
      user: users,
      client: clients,
      isAccessLost: IS_ACCESS_LOST,
      isMfaRequiredOfUser: IS_MFA_REQUIRED_FOR_TOKEN,
    })
    .from(oidcRecords)
    .leftJoin(grants, and(eq(grants.model, "Grant"), eq(grants.id, oidcRecords.grantId), isNull(grants.destroyedAt)))
    .leftJoin(users, eq(users.id, oidcRecords.accountId))
    .leftJoin(clients, eq(clients.id, oidcRecords.clientId))
    .where(
      and(
        inArray(oidcRecords.model, [...TOKENS]),
        eq(oidcRecords.id, sql.placeholder("id")),
        isNull(oidcRecords.destroyedAt),
      ),
    )
    .prepare();
});

/** Returns the codes and tokens of any model with this id, even if consumed or expired, which the engine checks. */
export async function findTokens(store: Store, id: string): Promise<TokenRows[]> {
  return cannotBeStored(id) ? [] : tokenStatement(store).execute({ id });
}

type Records = Tables["oidcRecords"];

function finder(
  keyOf: (records: Records) => Records["id"] | Records["uid"],
  condition: (records: Records) => SQL = (records) => isNull(records.destroyedAt),
) {
  return prepared(({ q, t: { oidcRecords } }) =>
    q
      .select()
      .from(oidcRecords)
      .where(
        and(
          eq(oidcRecords.model, sql.placeholder("model")),
          eq(keyOf(oidcRecords), sql.placeholder("key")),
          condition(oidcRecords),
        ),
      )
      .limit(1)
      .prepare(),
  );
}

/**
 * Matches rows of sessions that have not ended. A row saved under another id while the session ended is invalid too.
 */
export function hasNotEnded(records: Records): SQL {
  return sql`${records.destroyedAt} is null and not ${hasEnded(sql`${records.uid}`)}`;
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

const consumeStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ consumedAt: sql`${sql.placeholder("now")}` })
    .where(and(hasIds(oidcRecords), isNull(oidcRecords.consumedAt), isNull(oidcRecords.destroyedAt)))
    .returning({ id: oidcRecords.id })
    .prepare(),
);

function hasIds(records: Records) {
  return and(eq(records.model, sql.placeholder("model")), eq(records.id, sql.placeholder("id")));
}

/**
 * Consumes a code or token (RFC 6749 §4.1.2). One conditional statement: of concurrent calls one returns true. Returns
 * false if it is consumed or gone.
 */
export async function consumeRecord(store: Store, model: string, id: string, now: Date): Promise<boolean> {
  const at = encoded(store.t.oidcRecords.consumedAt, now);
  return isOne(await consumeStatement(store).execute({ model, id, now: at }));
}

const consumeCodeOfSessionStatement = prepared((store) => {
  const { oidcRecords } = store.t;
  // On PostgreSQL, waits for a transaction that is ending the session; SQLite has one writer at a time.
  const lock = sql.raw(store.dialect === "postgres" ? "for share" : "");
  const isSessionLive = sql`exists (select 1 from oidc_records live where live.model = 'Session' and live.uid = ${placeholder("sessionUid")} and live.destroyed_at is null ${lock})`;
  return store.q
    .update(oidcRecords)
    .set({ consumedAt: placeholder("now") })
    .where(and(hasIds(oidcRecords), isNull(oidcRecords.consumedAt), isNull(oidcRecords.destroyedAt), isSessionLive))
    .returning({ id: oidcRecords.id })
    .prepare();
});

/**
 * Like `consumeRecord`, for an authorization code. Also returns false if the session that it was issued in has ended.
 */
export async function consumeCode(
  store: Store,
  id: string,
  { now, sessionUid }: { now: Date; sessionUid: string },
): Promise<boolean> {
  const at = encoded(store.t.oidcRecords.consumedAt, now);
  return isOne(
    await consumeCodeOfSessionStatement(store).execute({ model: "AuthorizationCode", id, now: at, sessionUid }),
  );
}

const consumeForSuccessorStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ consumedAt: placeholder("now"), sealedSuccessor: placeholder("sealedSuccessor") })
    .where(and(hasIds(oidcRecords), isNull(oidcRecords.consumedAt), isNull(oidcRecords.destroyedAt)))
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/** Like `consumeRecord`, for a rotated refresh token; stores its sealed successor. */
export async function consumeRefreshToken(
  store: Store,
  id: string,
  { now, sealedSuccessor }: { now: Date; sealedSuccessor: SealedSecret },
): Promise<boolean> {
  const at = encoded(store.t.oidcRecords.consumedAt, now);
  return isOne(
    await consumeForSuccessorStatement(store).execute({ model: "RefreshToken", id, now: at, sealedSuccessor }),
  );
}

const removeStatement = prepared(({ q, t: { oidcRecords } }) =>
  q.delete(oidcRecords).where(hasIds(oidcRecords)).prepare(),
);

/** Removes one record, if it exists. */
export async function removeRecord(store: Store, model: string, id: string): Promise<void> {
  await removeStatement(store).execute({ model, id });
}

/**
 * Ends a session: every row of its uid becomes a tombstone until `until`, which must be later than the expiry of any
 * row that a concurrent request may save. Returns false if there is no such session; `userId`: only a session of this
 * user.
 */
export async function endSession(
  store: Store,
  uid: string,
  { until, userId }: { until: Date; userId?: string },
): Promise<boolean> {
  if (cannotBeStored(uid)) return false;
  const { model, uid: uidColumn, accountId } = store.t.oidcRecords;
  const isOwn = userId === undefined ? undefined : eq(accountId, userId);
  const matches = and(eq(model, "Session"), eq(uidColumn, uid), isOwn);
  return (await replaceByTombstones(store, matches, { expiresAt: until })) > 0;
}

/** Destroys a grant, or another record by its id, if it exists; later saves are rejected. */
export async function destroyRecord(store: Store, model: string, id: string): Promise<void> {
  if (cannotBeStored(id)) return;
  const { oidcRecords } = store.t;
  await replaceByTombstones(store, and(eq(oidcRecords.model, model), eq(oidcRecords.id, id)));
}

/** Removes the records of a model that belong to a grant. */
export async function removeRecordsOfGrant(store: Store, model: string, grantId: string): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q.delete(oidcRecords).where(and(eq(oidcRecords.model, model), eq(oidcRecords.grantId, grantId)));
}

/** Destroys a grant and its codes and tokens in one transaction. Returns false if it was destroyed already. */
export async function destroyGrant(store: Store, grantId: string): Promise<boolean> {
  const { model, id, grantId: grantIdColumn } = store.t.oidcRecords;
  const removed = await destroyRecords(
    store,
    sql`(${and(eq(model, "Grant"), eq(id, grantId))} or ${and(eq(grantIdColumn, grantId), inArray(model, [...TOKENS]))})`,
  );
  return removed > 0;
}

/** Removes the user's records of these models. Returns how many. */
export async function removeRecordsOfAccount(
  store: Store,
  accountId: string,
  models: readonly string[],
): Promise<number> {
  const { oidcRecords } = store.t;
  return destroyRecords(store, and(eq(oidcRecords.accountId, accountId), inArray(oidcRecords.model, [...models])));
}

/** Removes all records of a client. */
export async function removeRecordsOfClient(store: Store, clientId: string): Promise<void> {
  await destroyRecords(store, eq(store.t.oidcRecords.clientId, clientId));
}

/** Models that the engine reads, changes and saves again. They leave a tombstone, which rejects a concurrent save. */
const TOMBSTONE_MODELS = ["Session", "Grant"];

/**
 * Destroys the matching records in one transaction: sessions and grants become tombstones until they expire, everything
 * else is deleted. Returns how many.
 */
export async function destroyRecords(store: Store, matches: SQL | undefined): Promise<number> {
  if (!store.isTransaction) return store.tx((tx) => destroyRecords(tx, matches));
  const { oidcRecords } = store.t;
  const model = unindexedModel(store);
  const tombstoneCount = await replaceByTombstones(store, and(inArray(model, TOMBSTONE_MODELS), matches));
  const deleted = await store.q
    .delete(oidcRecords)
    .where(and(notInArray(model, TOMBSTONE_MODELS), matches))
    .returning({ id: oidcRecords.id });
  return tombstoneCount + deleted.length;
}

/**
 * Returns the model as an expression that no index serves. SQLite, which has no statistics here, would read all records of
 * a model by the primary key rather than those of some hundred accounts.
 */
export function unindexedModel({ t: { oidcRecords } }: Store): SQL<string> {
  return sql<string>`coalesce(${oidcRecords.model}, '')`;
}

/** Turns records into tombstones, which keep the ids but no content. */
async function replaceByTombstones(
  store: Store,
  matches: SQL | undefined,
  kept: { expiresAt?: Date } = {},
): Promise<number> {
  const { oidcRecords } = store.t;
  const tombstoneCount = await store.q
    .update(oidcRecords)
    .set({ ...kept, destroyedAt: new Date(), payload: {}, accountId: null, clientId: null, grantId: null })
    .where(and(matches, isNull(oidcRecords.destroyedAt)))
    .returning({ id: oidcRecords.id });
  return tombstoneCount.length;
}

type ExceptedModel = { model: string; maxLength: number };

/**
 * Removes at most `batchSize` records that expired at or before `before` (and later than `after`); of the model in
 * `except` only those whose JSON payload is longer than `maxLength` characters. Returns how many. Batched, because one
 * statement over 100,000 rows blocks the only writer of a SQLite file for seconds.
 */
export async function removeExpiredRecords(
  store: Store,
  { after, before, batchSize, except }: { after?: Date; before: Date; batchSize: number; except?: ExceptedModel },
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
    // The order makes SQLite use the index on `expires_at`.
    .orderBy(asc(expiresAt))
    .limit(batchSize);
  const removed = await store.q.delete(oidcRecords).where(sql`(${model}, ${id}) in ${batch}`).returning({ id });
  return removed.length;
}
