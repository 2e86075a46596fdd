import { and, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { z } from "zod";
import type { Provider } from "#app/config/providers.ts";
import { COPY_MARK } from "#app/db/files/backup.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** Ids in one statement: far below the parameter limits of both databases. */
const BATCH = 500;

/**
 * Deletes everything that was issued and could still be used: sessions, codes, tokens, grants, challenges, links,
 * attempts, consents, known browsers, remembered devices, unsent mails. TOTP codes up to step `totpStep` are no longer
 * accepted.
 */
export async function invalidateEverything(store: Store, { totpStep }: { totpStep: number }): Promise<void> {
  const { t, q } = store;
  // Whole tables, children first: SQLite deletes all rows of a table at once if there is no condition.
  const access = [t.oidcRecords, t.oneTimeTokens, t.helpLinks, t.manageChains, t.manageSessions];
  for (const table of [...access, t.consents, t.knownBrowsers, t.rememberedDevices]) await q.delete(table);
  // Failed mails too: `gatehouse mail retry` would send them.
  await q.delete(t.mailOutbox).where(isNull(t.mailOutbox.sentAt));
  await q
    .update(t.totpCredentials)
    .set({ lastStep: totpStep, wrongSteps: [] })
    .where(lt(t.totpCredentials.lastStep, totpStep));
}

/** Returns true if this SQLite file is marked as a copy, that is, has not been put into service. */
export async function isCopy(store: Store): Promise<boolean> {
  const [row] = await store.execute("PRAGMA user_version");
  return z.object({ user_version: z.int() }).parse(row).user_version === COPY_MARK;
}

/**
 * Stores the new epoch, issuer and rpId, and removes the mark of a copy. `uncheckedAt`: the time of this restore if
 * an administrator has to check it; null keeps what an earlier restore stored.
 */
export async function putIntoService(
  store: Store,
  { epoch, issuer, rpId, uncheckedAt }: { epoch: number; issuer: string; rpId: string; uncheckedAt: Date | null },
): Promise<void> {
  const unchecked = uncheckedAt === null ? {} : { uncheckedRestoreAt: uncheckedAt };
  await store.q.update(store.t.instance).set({ epoch, issuer, rpId, ...unchecked });
  if (store.dialect === "sqlite") await store.execute("PRAGMA user_version = 0");
}

/** Stores that an administrator has checked the last restore; returns false if no restore waits for that. */
export async function markRestoreChecked(store: Store): Promise<boolean> {
  const { instance } = store.t;
  const rows = await store.q
    .update(instance)
    .set({ uncheckedRestoreAt: null })
    .where(isNotNull(instance.uncheckedRestoreAt))
    .returning({ id: instance.id });
  return rows.length > 0;
}

/** Returns those of the users who exist, with their number of second factors; recovery codes do not count. */
export async function findUsersWithFactors(
  store: Store,
  ids: readonly string[],
): Promise<{ id: string; username: string; factors: number; isBlocked: boolean }[]> {
  const { users, totpCredentials, webauthnCredentials } = store.t;
  const found = await inBatches(ids, (batch) =>
    store.q
      .select({
        id: users.id,
        username: users.username,
        status: users.status,
        totp: store.q.$count(totpCredentials, eq(totpCredentials.userId, users.id)),
        keys: store.q.$count(webauthnCredentials, eq(webauthnCredentials.userId, users.id)),
      })
      .from(users)
      .where(inArray(users.id, batch)),
  );
  return found.map(({ id, username, status, totp, keys }) => ({
    id,
    username,
    factors: totp + keys,
    isBlocked: status === "blocked",
  }));
}

/** Returns those of the ids that are clients. */
export async function findClientIds(store: Store, ids: readonly string[]): Promise<string[]> {
  const { clients } = store.t;
  const rows = await inBatches(ids, (batch) =>
    store.q.select({ id: clients.id }).from(clients).where(inArray(clients.id, batch)),
  );
  return rows.map(({ id }) => id);
}

/** Removes a user's password and increments the generation. */
export async function clearPassword(store: Store, userId: string, now: Date): Promise<void> {
  const { users } = store.t;
  await store.q
    .update(users)
    .set({
      passwordHash: null,
      passwordSetAt: null,
      passwordSetHow: null,
      passwordProvenAt: null,
      passwordResetUnseen: false,
      passwordMailedAt: null,
      generation: sql`${users.generation} + 1`,
      updatedAt: now,
    })
    .where(eq(users.id, userId));
}

/** Removes all recovery codes of a user, used or not. */
export async function clearRecoveryCodes(store: Store, userId: string): Promise<void> {
  const { recoveryCodes } = store.t;
  await store.q.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/** Removes a user's external accounts at these providers; at all providers if the list is empty. */
export async function disconnectProviders(store: Store, userId: string, providers: readonly Provider[]): Promise<void> {
  const { externalAccounts } = store.t;
  const isAtProvider = providers.length === 0 ? undefined : inArray(externalAccounts.provider, [...providers]);
  await store.q.delete(externalAccounts).where(and(eq(externalAccounts.userId, userId), isAtProvider));
}

async function inBatches<Row>(ids: readonly string[], read: (batch: string[]) => PromiseLike<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += BATCH) rows.push(...(await read(ids.slice(start, start + BATCH))));
  return rows;
}
