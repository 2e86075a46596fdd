import { and, eq, gt, isNull, ne, or } from "drizzle-orm";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { JsonObject, OidcRecord } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

const MODEL = "Session";

/** The sessions that the engine keeps of a user and whose time is not over; which of them count is not decided here. */
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
      ),
    );
}

/** Writes another payload into a session, as long as it is there under this id. */
export async function rewriteEngineSession(store: Store, id: string, payload: JsonObject): Promise<void> {
  const { oidcRecords } = store.t;
  await store.q
    .update(oidcRecords)
    .set({ payload })
    .where(and(eq(oidcRecords.model, MODEL), eq(oidcRecords.id, id)));
}

/** Removes one session of this user. False when the user has no such session. */
export async function removeEngineSession(
  store: Store,
  { userId, uid }: { userId: string; uid: string },
): Promise<boolean> {
  if (cannotBeStored(uid)) return false;
  const { oidcRecords } = store.t;
  const removed = await store.q
    .delete(oidcRecords)
    .where(and(eq(oidcRecords.model, MODEL), eq(oidcRecords.accountId, userId), eq(oidcRecords.uid, uid)))
    .returning({ id: oidcRecords.id });
  return removed.length > 0;
}

/** Removes all sessions of the user but this one; null: all of them. */
export async function removeOtherEngineSessions(store: Store, userId: string, keptUid: string | null): Promise<void> {
  const { oidcRecords } = store.t;
  const isOther = keptUid === null ? undefined : or(isNull(oidcRecords.uid), ne(oidcRecords.uid, keptUid));
  await store.q
    .delete(oidcRecords)
    .where(and(eq(oidcRecords.model, MODEL), eq(oidcRecords.accountId, userId), isOther));
}
