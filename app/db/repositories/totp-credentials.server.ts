import { and, eq, lt, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import type { NewTotpCredential, TotpCredential, WrongStep } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { storeHasFactor, withoutFactors } from "./has-factor.server.ts";

/** Stores a user's authenticator app. A second one is a unique violation (`store.isUnique`). */
export async function createTotpCredential(store: Store, credential: NewTotpCredential): Promise<void> {
  await store.q.insert(store.t.totpCredentials).values(credential);
  await storeHasFactor(store, credential.userId);
}

/** Returns the user's authenticator app. */
export async function findTotpCredential(store: Store, userId: string): Promise<TotpCredential | null> {
  const [credential] = await ofUserStatement(store).execute({ userId });
  return credential ?? null;
}

const ofUserStatement = prepared(({ q, t: { totpCredentials } }) =>
  q
    .select()
    .from(totpCredentials)
    .where(eq(totpCredentials.userId, sql.placeholder("userId")))
    .prepare(),
);

/**
 * Uses up this time step and all earlier ones. One statement: of concurrent calls one returns true. Returns false if
 * the step is not later than the last accepted one.
 */
export async function consumeStep(store: Store, userId: string, step: number, now: Date): Promise<boolean> {
  const at = encoded(store.t.totpCredentials.lastUsedAt, now);
  const consumed = await consumeStatement(store).execute({ userId, step, now: at });
  return consumed.length === 1;
}

const consumeStatement = prepared(({ q, t: { totpCredentials } }) =>
  q
    .update(totpCredentials)
    .set({ lastStep: sql`${sql.placeholder("step")}`, lastUsedAt: sql`${sql.placeholder("now")}` })
    .where(
      and(eq(totpCredentials.userId, sql.placeholder("userId")), lt(totpCredentials.lastStep, sql.placeholder("step"))),
    )
    .returning({ userId: totpCredentials.userId })
    .prepare(),
);

/**
 * Replaces the recorded wrong steps by the result of `update`. Call it in a transaction: concurrent calls are serialised
 * until its end, so that no record is lost. Returns the result, or null if the user has no authenticator app.
 */
export async function updateWrongSteps<Updated extends { wrongSteps: WrongStep[] }>(
  tx: Store,
  userId: string,
  update: (recorded: readonly WrongStep[]) => Updated,
): Promise<Updated | null> {
  await tx.lock(`totp ${userId}`);
  const credential = await findTotpCredential(tx, userId);
  if (!credential) return null;
  const updated = update(credential.wrongSteps);
  const { totpCredentials } = tx.t;
  await tx.q.update(totpCredentials).set({ wrongSteps: updated.wrongSteps }).where(eq(totpCredentials.userId, userId));
  return updated;
}

/** Removes the user's authenticator app. Returns false if there is none. */
export async function removeTotpCredential(store: Store, userId: string): Promise<boolean> {
  const { totpCredentials } = store.t;
  const removed = await withoutFactors(store, userId, () =>
    store.q
      .delete(totpCredentials)
      .where(eq(totpCredentials.userId, userId))
      .returning({ userId: totpCredentials.userId }),
  );
  return removed.length === 1;
}
