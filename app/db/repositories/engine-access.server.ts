import { and, eq, gt, inArray, notInArray, or, type SQL } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** What an application holds of an account, beside the grant it rests on. */
const TOKENS = ["AuthorizationCode", "AccessToken", "RefreshToken"];

/** A code or token: the grant it rests on, and the session it was given in. */
export type HeldToken = { grantId: string | null; sessionUid: unknown };

/** The codes and tokens that applications hold of a user. */
export async function listHeldTokens(store: Store, userId: string): Promise<HeldToken[]> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .select({ grantId: oidcRecords.grantId, payload: oidcRecords.payload })
    .from(oidcRecords)
    .where(and(eq(oidcRecords.accountId, userId), inArray(oidcRecords.model, TOKENS)));
  return rows.map(({ grantId, payload }) => ({ grantId, sessionUid: payload.sessionUid }));
}

/** The clients to which a grant of the user is good still. */
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

/** Removes these grants of the user, with all codes and tokens that rest on them. */
export async function removeGrants(store: Store, userId: string, grantIds: readonly string[]): Promise<void> {
  if (grantIds.length === 0) return;
  const { grantId, id, model } = store.t.oidcRecords;
  const ids = [...grantIds];
  await remove(store, userId, or(inArray(grantId, ids), and(eq(model, "Grant"), inArray(id, ids))));
}

/** Removes all grants of the user but these, with the codes and tokens that rest on them. */
export async function removeOtherGrants(store: Store, userId: string, keptIds: readonly string[]): Promise<void> {
  const { grantId, id, model } = store.t.oidcRecords;
  // A list is never empty: nobody's grant is called like this.
  const ids = ["", ...keptIds];
  const isOther = or(
    and(inArray(model, TOKENS), notInArray(grantId, ids)),
    and(eq(model, "Grant"), notInArray(id, ids)),
  );
  await remove(store, userId, isOther);
}

/** Removes the grants, codes and tokens that one client has of the user. Answers how many. */
export async function removeGrantsOfClient(store: Store, userId: string, clientId: string): Promise<number> {
  const { oidcRecords } = store.t;
  const models = ["Grant", ...TOKENS];
  return remove(store, userId, and(eq(oidcRecords.clientId, clientId), inArray(oidcRecords.model, models)));
}

async function remove(store: Store, userId: string, matches: SQL | undefined): Promise<number> {
  const { oidcRecords } = store.t;
  const removed = await store.q
    .delete(oidcRecords)
    .where(and(eq(oidcRecords.accountId, userId), matches))
    .returning({ id: oidcRecords.id });
  return removed.length;
}
