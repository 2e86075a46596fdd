import { and, asc, eq, gt, inArray, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import type { JsonObject, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { destroyRecords, endSession, hasNotEnded, unindexedModel } from "./oidc-records.server.ts";

const MODEL = "Session";

/** Returns the unexpired engine sessions of a user. Does not check whether they are valid otherwise. */
export async function listEngineSessions(
  store: Store,
  { userId, now }: { userId: string; now: Date },
): Promise<OidcRecord[]> {
  const { oidcRecords } = store.t;
  return store.q
    .select()
    .from(oidcRecords)
    .where(
      and(
        eq(oidcRecords.model, MODEL),
        eq(oidcRecords.accountId, userId),
        or(isNull(oidcRecords.expiresAt), gt(oidcRecords.expiresAt, now)),
        hasNotEnded(oidcRecords),
      ),
    );
}

const rewriteStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ payload: sql`${sql.placeholder("payload")}` })
    .where(
      and(eq(oidcRecords.model, MODEL), eq(oidcRecords.id, sql.placeholder("id")), isNull(oidcRecords.destroyedAt)),
    )
    .prepare(),
);

/** Replaces the payload of the session with this id, unless it has been destroyed. */
export async function rewriteEngineSession(store: Store, id: string, payload: JsonObject): Promise<void> {
  await rewriteStatement(store).execute({ id, payload: encoded(store.t.oidcRecords.payload, payload) });
}

/** Ends one session of this user; `until` as in `endSession`. Returns false if the user has no such session. */
export async function removeEngineSession(
  store: Store,
  { userId, uid, until }: { userId: string; uid: string; until: Date },
): Promise<boolean> {
  return endSession(store, uid, { userId, until });
}

/** Ends all sessions of the user except `keptUid` (null: all). Concurrent saves carry the former generation. */
export async function removeOtherEngineSessions(store: Store, userId: string, keptUid: string | null): Promise<void> {
  const { oidcRecords } = store.t;
  const isOther = keptUid === null ? undefined : or(isNull(oidcRecords.uid), ne(oidcRecords.uid, keptUid));
  await destroyRecords(store, and(eq(oidcRecords.model, MODEL), eq(oidcRecords.accountId, userId), isOther));
}

/** Selects one session of a user (`uid`), all but one (`exceptUid`), or all. */
type SessionSelection = { userId: string; now: Date; uid?: string; exceptUid?: string | null };

/**
 * Returns the sessions of a user and locks their rows until the transaction ends: a request that adds a client to one
 * of them waits, and then finds it ended.
 */
export async function lockEngineSessions(
  store: Store,
  { userId, now, uid, exceptUid }: SessionSelection,
): Promise<OidcRecord[]> {
  const { oidcRecords } = store.t;
  const isSelected = and(
    isLive(store, now),
    eq(oidcRecords.accountId, userId),
    uid === undefined ? undefined : eq(oidcRecords.uid, uid),
    exceptUid ? or(isNull(oidcRecords.uid), ne(oidcRecords.uid, exceptUid)) : undefined,
  );
  return lockRecords(store, isSelected);
}

/** Returns the sessions of these users, at most some hundred, and locks them like `lockEngineSessions`. */
export async function lockSessionsOfUsers(
  store: Store,
  { userIds, now }: { userIds: readonly string[]; now: Date },
): Promise<OidcRecord[]> {
  const { oidcRecords } = store.t;
  const isOfUsers = inArray(oidcRecords.accountId, [...userIds]);
  const isSession = eq(unindexedModel(store), MODEL);
  return lockRecords(store, and(isSession, hasNotEnded(oidcRecords), isUnexpired(store, now), isOfUsers));
}

/** Writes a column with its own value: both databases lock a row by that. */
function lockRecords(store: Store, matches: SQL | undefined): Promise<OidcRecord[]> {
  const { oidcRecords } = store.t;
  return store.q
    .update(oidcRecords)
    .set({ accountId: sql`${oidcRecords.accountId}` })
    .where(matches)
    .returning();
}

/** Returns at most `limit` signed-in sessions of all users, ordered by id, after the id `after`. */
export async function listAllEngineSessions(
  store: Store,
  { now, after, limit }: { now: Date; after: string; limit: number },
): Promise<OidcRecord[]> {
  const { oidcRecords } = store.t;
  return store.q
    .select()
    .from(oidcRecords)
    .where(and(isLive(store, now), isNotNull(oidcRecords.accountId), gt(oidcRecords.id, after)))
    .orderBy(asc(oidcRecords.id))
    .limit(limit);
}

function isLive(store: Store, now: Date) {
  const { oidcRecords } = store.t;
  return and(eq(oidcRecords.model, MODEL), hasNotEnded(oidcRecords), isUnexpired(store, now));
}

function isUnexpired({ t: { oidcRecords } }: Store, now: Date) {
  return or(isNull(oidcRecords.expiresAt), gt(oidcRecords.expiresAt, now));
}
