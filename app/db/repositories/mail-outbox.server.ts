import { and, asc, count, eq, getTableColumns, inArray, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { removeRows } from "#app/db/rows.server.ts";
import type { NewOutboxMail, OutboxMail, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SealedSecret } from "#app/ports.ts";

/** A mail without its content, for lists. */
export type ListedMail = Omit<OutboxMail, "sealedMessage">;

/** Queues a mail. Call it in the transaction of the change that the mail reports: it is sent only if that commits. */
export async function addOutboxMail(store: Store, mail: NewOutboxMail): Promise<void> {
  await store.q.insert(store.t.mailOutbox).values(mail);
}

const dueStatement = prepared(({ q, t: { mailOutbox } }) =>
  q
    .select({ id: mailOutbox.id })
    .from(mailOutbox)
    .where(
      and(
        lte(mailOutbox.nextAttemptAt, sql.placeholder("now")),
        or(isNull(mailOutbox.claimedUntil), lte(mailOutbox.claimedUntil, sql.placeholder("now"))),
      ),
    )
    .orderBy(asc(mailOutbox.nextAttemptAt), asc(mailOutbox.createdAt))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Returns the ids of at most `limit` mails that are due and not claimed, longest due first. */
export async function listDueMailIds(store: Store, { now, limit }: { now: Date; limit: number }): Promise<string[]> {
  const time = encoded(store.t.mailOutbox.nextAttemptAt, now);
  const rows = await dueStatement(store).execute({ now: time, limit });
  return rows.map(({ id }) => id);
}

/** Claims the mails that are still due and unclaimed, and counts an attempt. One statement: one sender claims each. */
export async function claimMails(
  store: Store,
  { ids, now, until }: { ids: readonly string[]; now: Date; until: Date },
): Promise<OutboxMail[]> {
  const { mailOutbox } = store.t;
  return store.q
    .update(mailOutbox)
    .set({ claimedUntil: until, attempts: sql`${mailOutbox.attempts} + 1` })
    .where(and(inArray(mailOutbox.id, [...ids]), isDue(mailOutbox, now)))
    .returning();
}

function isDue({ nextAttemptAt, claimedUntil }: Tables["mailOutbox"], now: Date) {
  return and(lte(nextAttemptAt, now), or(isNull(claimedUntil), lte(claimedUntil, now)));
}

/** Marks the mail as sent and deletes its content, which may contain links for the recipient only. */
export async function markMailSent(store: Store, id: string, now: Date): Promise<void> {
  const { mailOutbox } = store.t;
  await store.q
    .update(mailOutbox)
    .set({ ...DONE, sentAt: now, lastError: null })
    .where(eq(mailOutbox.id, id));
}

/** Marks the mail as failed, with the reason. Keeps its content for `gatehouse mail retry` if `isRepeatable`. */
export async function markMailFailed(
  store: Store,
  id: string,
  { now, why, isRepeatable }: { now: Date; why: string; isRepeatable: boolean },
): Promise<void> {
  const { mailOutbox } = store.t;
  const done = isRepeatable ? { nextAttemptAt: null, claimedUntil: null } : DONE;
  await store.q
    .update(mailOutbox)
    .set({ ...done, failedAt: now, lastError: why })
    .where(eq(mailOutbox.id, id));
}

/** Columns of a mail that is not sent again. */
const DONE = { sealedMessage: sql`''`, nextAttemptAt: null, claimedUntil: null };

/** Returns all unsent mails with their content, which is "" if they cannot be sent again; oldest first. */
export async function listUnsentMails(store: Store): Promise<OutboxMail[]> {
  const { mailOutbox } = store.t;
  return store.q
    .select()
    .from(mailOutbox)
    .where(isNull(mailOutbox.sentAt))
    .orderBy(asc(mailOutbox.createdAt), asc(mailOutbox.id));
}

/** Makes a waiting mail due now. Returns false if it is being sent, or does not wait any more. */
export async function hastenMail(store: Store, id: string, now: Date): Promise<boolean> {
  const { mailOutbox } = store.t;
  const isUnclaimed = or(isNull(mailOutbox.claimedUntil), lte(mailOutbox.claimedUntil, now));
  const rows = await store.q
    .update(mailOutbox)
    .set({ nextAttemptAt: now })
    .where(and(eq(mailOutbox.id, id), isNotNull(mailOutbox.nextAttemptAt), isUnclaimed))
    .returning({ id: mailOutbox.id });
  return rows.length > 0;
}

/** Makes a failed mail wait again, with new attempts. Returns false if another process was first. */
export async function requeueMail(
  store: Store,
  { id, sealedMessage }: Pick<OutboxMail, "id" | "sealedMessage">,
  { now, resealed }: { now: Date; resealed: SealedSecret },
): Promise<boolean> {
  const { mailOutbox } = store.t;
  const rows = await store.q
    .update(mailOutbox)
    .set({ sealedMessage: resealed, nextAttemptAt: now, failedAt: null, attempts: 0 })
    .where(and(eq(mailOutbox.id, id), isNotNull(mailOutbox.failedAt), eq(mailOutbox.sealedMessage, sealedMessage)))
    .returning({ id: mailOutbox.id });
  return rows.length > 0;
}

/** Schedules another attempt and stores the reason. */
export async function postponeMail(store: Store, id: string, retry: { at: Date; why: string }): Promise<void> {
  const { mailOutbox } = store.t;
  await store.q
    .update(mailOutbox)
    .set({ nextAttemptAt: retry.at, claimedUntil: null, lastError: retry.why })
    .where(eq(mailOutbox.id, id));
}

/** Returns at most `limit` unsent or failed mails without their content, oldest first. */
export async function listOpenMails(store: Store, limit: number): Promise<ListedMail[]> {
  const { mailOutbox } = store.t;
  const { sealedMessage: _, ...shown } = getTableColumns(mailOutbox);
  return store.q
    .select(shown)
    .from(mailOutbox)
    .where(isNull(mailOutbox.sentAt))
    .orderBy(asc(mailOutbox.createdAt), asc(mailOutbox.id))
    .limit(limit);
}

/** Returns the number of waiting mails and when the oldest was queued; null if none waits. */
export async function countWaitingMails(store: Store): Promise<{ waiting: number; oldest: Date | null }> {
  const { mailOutbox } = store.t;
  const [row] = await store.q
    .select({ waiting: count(), oldest: min(mailOutbox.createdAt) })
    .from(mailOutbox)
    .where(isNotNull(mailOutbox.nextAttemptAt));
  return row ?? { waiting: 0, oldest: null };
}

/** Returns the number of failed mails that were not removed yet. */
export async function countFailedMails(store: Store): Promise<number> {
  return store.q.$count(store.t.mailOutbox, isNotNull(store.t.mailOutbox.failedAt));
}

/** Returns why the last attempt of the oldest waiting mail failed; null if no mail waits, or none was attempted. */
export async function findOldestError(store: Store): Promise<string | null> {
  const { mailOutbox } = store.t;
  const [oldest] = await store.q
    .select({ lastError: mailOutbox.lastError })
    .from(mailOutbox)
    .where(isNotNull(mailOutbox.nextAttemptAt))
    .orderBy(asc(mailOutbox.createdAt))
    .limit(1);
  return oldest?.lastError ?? null;
}

/** Removes at most `batchSize` sent or failed mails that were queued at or before `before`. Returns how many. */
export async function removeDoneMails(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { mailOutbox: table } = store.t;
  const where = and(lte(table.createdAt, before), or(isNotNull(table.sentAt), isNotNull(table.failedAt)));
  return removeRows(store, { table, key: table.id, where, batchSize });
}
