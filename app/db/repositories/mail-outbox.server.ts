import { and, asc, count, eq, getTableColumns, inArray, isNotNull, isNull, lte, min, or, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import type { NewOutboxMail, OutboxMail, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** A mail as lists show it: without its content. */
export type ListedMail = Omit<OutboxMail, "sealedMessage">;

/** Puts a mail into the outbox. In the transaction of what it tells about, it goes out if and only if that is kept. */
export async function addOutboxMail(store: Store, mail: NewOutboxMail): Promise<void> {
  await store.q.insert(store.t.mailOutbox).values(mail);
}

const due = prepared(({ q, t: { mailOutbox } }) =>
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

/** The ids of at most `limit` mails whose time has come and that no sender holds, the longest waiting first. */
export async function listDueMailIds(store: Store, { now, limit }: { now: Date; limit: number }): Promise<string[]> {
  const time = encoded(store.t.mailOutbox.nextAttemptAt, now);
  const rows = await due(store).execute({ now: time, limit });
  return rows.map(({ id }) => id);
}

/**
 * Takes those of the mails that are still due and free, until then; counts as an attempt. One statement: of many senders
 * at once each mail goes to one.
 */
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

/** Notes that the mail was handed over, and empties it: its links are its recipient's alone from now on. */
export async function markMailSent(store: Store, id: string, now: Date): Promise<void> {
  const { mailOutbox } = store.t;
  await store.q
    .update(mailOutbox)
    .set({ ...DONE, sentAt: now, lastError: null })
    .where(eq(mailOutbox.id, id));
}

/** Notes that the mail is given up, and why, and empties it. */
export async function markMailFailed(store: Store, id: string, failure: { now: Date; why: string }): Promise<void> {
  const { mailOutbox } = store.t;
  await store.q
    .update(mailOutbox)
    .set({ ...DONE, failedAt: failure.now, lastError: failure.why })
    .where(eq(mailOutbox.id, id));
}

/** What is left of a mail that nobody has to send any more. */
const DONE = { sealedMessage: sql`''`, nextAttemptAt: null, claimedUntil: null };

/** Puts the mail back for another attempt. */
export async function postponeMail(store: Store, id: string, again: { at: Date; why: string }): Promise<void> {
  const { mailOutbox } = store.t;
  await store.q
    .update(mailOutbox)
    .set({ nextAttemptAt: again.at, claimedUntil: null, lastError: again.why })
    .where(eq(mailOutbox.id, id));
}

/** At most `limit` mails that wait or were given up, without their content, the oldest first. */
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

/** How many mails wait to be sent, and when the oldest of them was queued; null when none waits. */
export async function countWaitingMails(store: Store): Promise<{ waiting: number; oldest: Date | null }> {
  const { mailOutbox } = store.t;
  const [row] = await store.q
    .select({ waiting: count(), oldest: min(mailOutbox.createdAt) })
    .from(mailOutbox)
    .where(isNotNull(mailOutbox.nextAttemptAt));
  return row ?? { waiting: 0, oldest: null };
}

/** Removes at most `batchSize` mails that were sent or given up, and made before then. Answers how many. */
export async function removeDoneMails(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { mailOutbox } = store.t;
  const batch = store.q
    .select({ id: mailOutbox.id })
    .from(mailOutbox)
    .where(and(lte(mailOutbox.createdAt, before), or(isNotNull(mailOutbox.sentAt), isNotNull(mailOutbox.failedAt))))
    .limit(batchSize);
  const removed = await store.q
    .delete(mailOutbox)
    .where(inArray(mailOutbox.id, batch))
    .returning({ id: mailOutbox.id });
  return removed.length;
}
