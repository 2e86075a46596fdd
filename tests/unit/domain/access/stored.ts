import { isNull } from "drizzle-orm";
import { findRecordByUid } from "#app/db/repositories/oidc-records.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";

/** Returns whether page session, token chain and engine session are valid; throws if only some of them are. */
export async function isOpen(store: Store, { userId, holder, sessionUid }: SettingsAccess): Promise<boolean> {
  const user = await findUser(store, userId);
  const sessions = await store.q.select().from(store.t.manageSessions);
  const chains = await store.q.select().from(store.t.manageChains);
  const page = sessions.find(({ tokenHash }) => tokenHash === holder.pageSessionHash);
  const chain = chains.find(({ pageSessionHash }) => pageSessionHash === holder.pageSessionHash);
  const session = await findRecordByUid(store, "Session", sessionUid ?? "");
  const generations = [page?.generation, chain?.generation, session?.payload.generation];
  const isCurrent = generations.map((generation) => generation === user?.generation);
  if (new Set(isCurrent).size !== 1) throw new Error(`half open: ${generations.join(" ")}`);
  return user?.status === "active" && isCurrent.every(Boolean);
}

/** Returns the models of all engine records but sessions, sorted. */
export async function heldModels(store: Store): Promise<string[]> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .select({ model: oidcRecords.model })
    .from(oidcRecords)
    .where(isNull(oidcRecords.destroyedAt))
    .orderBy(oidcRecords.model);
  return rows.map(({ model }) => model).filter((model) => model !== "Session");
}

export async function pendingKinds(store: Store): Promise<string[]> {
  const { oneTimeTokens } = store.t;
  return (await store.q.select({ kind: oneTimeTokens.kind }).from(oneTimeTokens)).map(({ kind }) => kind).sort();
}

/** Returns the kinds of all queued mails, sorted. */
export async function queuedMails(store: Store): Promise<string[]> {
  const { mailOutbox } = store.t;
  return (await store.q.select({ kind: mailOutbox.kind }).from(mailOutbox)).map(({ kind }) => kind).sort();
}

export async function storedEvents(store: Store): Promise<string[]> {
  const { auditEvents } = store.t;
  const rows = await store.q.select({ type: auditEvents.type }).from(auditEvents).orderBy(auditEvents.sequence);
  return rows.map(({ type }) => type);
}
