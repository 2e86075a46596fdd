import { and, eq, gt, inArray, isNull, notInArray, or, type SQL } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";
import { destroyRecords, unindexedModel } from "./oidc-records.server.ts";

/** Codes and tokens, which belong to a grant. */
const TOKENS = ["AuthorizationCode", "AccessToken", "RefreshToken"];

/** A code or token: its grant and its session. */
type IssuedToken = { grantId: string | null; sessionUid: unknown };

/** Returns the codes and tokens that clients have for a user. */
export async function listIssuedTokens(store: Store, userId: string): Promise<IssuedToken[]> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .select({ grantId: oidcRecords.grantId, payload: oidcRecords.payload })
    .from(oidcRecords)
    .where(and(eq(oidcRecords.accountId, userId), inArray(oidcRecords.model, TOKENS)));
  return rows.map(({ grantId, payload }) => ({ grantId, sessionUid: payload.sessionUid }));
}

/** Returns the clients that have an unexpired grant of the user. */
export async function listGrantedClients(
  store: Store,
  { userId, now }: { userId: string; now: Date },
): Promise<Set<string>> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .select({ clientId: oidcRecords.clientId })
    .from(oidcRecords)
    .where(and(eq(oidcRecords.model, "Grant"), eq(oidcRecords.accountId, userId), gt(oidcRecords.expiresAt, now)));
  return new Set(rows.flatMap(({ clientId }) => clientId ?? []));
}

/** Removes these grants of the user and their codes and tokens. */
export async function removeGrants(store: Store, userId: string, grantIds: readonly string[]): Promise<void> {
  if (grantIds.length === 0) return;
  const { grantId, id, model } = store.t.oidcRecords;
  const ids = [...grantIds];
  await remove(store, userId, or(inArray(grantId, ids), and(eq(model, "Grant"), inArray(id, ids))));
}

/** Removes all grants of the user except these, and their codes and tokens. */
export async function removeOtherGrants(store: Store, userId: string, keptIds: readonly string[]): Promise<void> {
  const { grantId, id, model } = store.t.oidcRecords;
  // Avoids an empty list; no grant has this id.
  const ids = ["", ...keptIds];
  const isOther = or(
    and(inArray(model, TOKENS), notInArray(grantId, ids)),
    and(eq(model, "Grant"), notInArray(id, ids)),
  );
  await remove(store, userId, isOther);
}

/** Removes the grants, codes and tokens of one client that belong to these users, at most some hundred. Returns how many. */
export async function removeGrantsOfClient(
  store: Store,
  clientId: string,
  userIds: readonly string[],
): Promise<number> {
  const { accountId, clientId: clientIdColumn } = store.t.oidcRecords;
  const ofGrants = inArray(unindexedModel(store), ["Grant", ...TOKENS]);
  return destroyRecords(store, and(inArray(accountId, [...userIds]), eq(clientIdColumn, clientId), ofGrants));
}

async function remove(store: Store, userId: string, matches: SQL | undefined): Promise<number> {
  return destroyRecords(store, and(eq(store.t.oidcRecords.accountId, userId), matches));
}

/**
 * Moves grants of a user, and their authorization codes, from one generation to another; those of other generations
 * stay invalid. `grantIds` null: all grants.
 */
export async function moveGrants(
  store: Store,
  { userId, from, to, grantIds }: { userId: string; from: number; to: number; grantIds: readonly string[] | null },
): Promise<void> {
  const { model, id, payload, accountId, grantId, destroyedAt } = store.t.oidcRecords;
  const records = await store.q
    .select({ model, id, grantId, payload })
    .from(store.t.oidcRecords)
    .where(and(eq(accountId, userId), inArray(model, ["Grant", "AuthorizationCode"])));
  for (const record of records) {
    const recordGrantId = record.model === "Grant" ? record.id : record.grantId;
    if (record.payload.generation !== from || grantIds?.includes(recordGrantId ?? "") === false) continue;
    await store.q
      .update(store.t.oidcRecords)
      .set({ payload: { ...record.payload, generation: to } })
      .where(and(eq(model, record.model), eq(id, record.id), isNull(destroyedAt)));
  }
}
