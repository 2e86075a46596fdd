import { and, eq, gt, inArray, isNull, lte, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored } from "#app/db/rows.server.ts";
import type { NewOneTimeToken, OneTimeToken, OneTimeTokenKind, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { TokenHash } from "#app/domain/secret/secrets.server.ts";

/** A token as its bearer names it. */
export type NamedToken = { kind: OneTimeTokenKind; tokenHash: TokenHash; now: Date };

/** Stores a token. One of the same kind and slot gives way to it, also when that one was used. */
export async function issueOneTimeToken(store: Store, token: NewOneTimeToken): Promise<void> {
  const { oneTimeTokens } = store.t;
  const { kind: _kind, slot: _slot, ...replaced } = { ...EMPTY, ...token };
  await store.q
    .insert(oneTimeTokens)
    .values(token)
    .onConflictDoUpdate({ target: [oneTimeTokens.kind, oneTimeTokens.slot], set: replaced });
}

/** What a token has that does not say otherwise: nothing of a replaced one stays. */
const EMPTY = { userId: null, generation: null, browserHash: null, clientId: null, usedAt: null };

const byHash = prepared(({ q, t: { oneTimeTokens } }) =>
  q
    .select()
    .from(oneTimeTokens)
    .where(
      and(
        eq(oneTimeTokens.tokenHash, sql.placeholder("tokenHash")),
        eq(oneTimeTokens.kind, sql.placeholder("kind")),
        isNull(oneTimeTokens.usedAt),
        gt(oneTimeTokens.expiresAt, sql.placeholder("now")),
      ),
    )
    .prepare(),
);

/** The token, unless it was used or its time is over. */
export async function findOneTimeToken(
  store: Store,
  { kind, tokenHash, now }: NamedToken,
): Promise<OneTimeToken | null> {
  const time = encoded(store.t.oneTimeTokens.expiresAt, now);
  const [token] = await byHash(store).execute({ kind, tokenHash, now: time });
  return token ?? null;
}

/** The token of this slot, unless it was used or its time is over. */
export async function findOneTimeTokenOfSlot(
  store: Store,
  { kind, slot, now }: { kind: OneTimeTokenKind; slot: string; now: Date },
): Promise<OneTimeToken | null> {
  if (cannotBeStored(slot)) return null;
  const { oneTimeTokens } = store.t;
  const [token] = await store.q
    .select()
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.slot, slot), isLive(oneTimeTokens, kind, now)));
  return token ?? null;
}

/** What changes when a token is renewed; what is left out stays. */
export type Renewal = { to: TokenHash } & Partial<Pick<OneTimeToken, "payload" | "generation">>;

/**
 * Puts a new token in the place of `from`, which dies. One statement: of many at once one wins, the others get null, as
 * for a token that was used or whose time is over. The time it has left stays.
 */
export async function renewOneTimeToken(
  store: Store,
  { kind, from, now, ...renewal }: Renewal & { kind: OneTimeTokenKind; from: TokenHash; now: Date },
): Promise<OneTimeToken | null> {
  const { oneTimeTokens } = store.t;
  const [token] = await store.q
    .update(oneTimeTokens)
    .set(changed(renewal))
    .where(and(eq(oneTimeTokens.tokenHash, from), isLive(oneTimeTokens, kind, now)))
    .returning();
  return token ?? null;
}

/**
 * Puts a new token in the place of whichever the slot has, if that one belongs to this browser. One statement: of many
 * at once the last one counts. Null when there is none, or it was used, or its time is over.
 */
export async function renewOneTimeTokenOfSlot(
  store: Store,
  {
    kind,
    slot,
    browserHash,
    to,
    now,
  }: { kind: OneTimeTokenKind; slot: string; browserHash: TokenHash } & {
    to: TokenHash;
    now: Date;
  },
): Promise<OneTimeToken | null> {
  if (cannotBeStored(slot)) return null;
  const { oneTimeTokens } = store.t;
  const [token] = await store.q
    .update(oneTimeTokens)
    .set({ tokenHash: to })
    .where(
      and(eq(oneTimeTokens.slot, slot), eq(oneTimeTokens.browserHash, browserHash), isLive(oneTimeTokens, kind, now)),
    )
    .returning();
  return token ?? null;
}

function changed({ to, payload, generation }: Renewal) {
  return { tokenHash: to, ...(payload && { payload }), ...(generation !== undefined && { generation }) };
}

/** Uses the token up. One statement: of many at once one wins. Null when it was used or its time is over. */
export async function consumeOneTimeToken(
  store: Store,
  { kind, tokenHash, now }: NamedToken,
): Promise<OneTimeToken | null> {
  const { oneTimeTokens } = store.t;
  const [token] = await store.q
    .update(oneTimeTokens)
    .set({ usedAt: now })
    .where(and(eq(oneTimeTokens.tokenHash, tokenHash), isLive(oneTimeTokens, kind, now)))
    .returning();
  return token ?? null;
}

function isLive(oneTimeTokens: Tables["oneTimeTokens"], kind: OneTimeTokenKind, now: Date) {
  return and(eq(oneTimeTokens.kind, kind), isNull(oneTimeTokens.usedAt), gt(oneTimeTokens.expiresAt, now));
}

/** Removes the user's tokens of these kinds, used or not. */
export async function removeOneTimeTokensOfUser(
  store: Store,
  userId: string,
  kinds: readonly OneTimeTokenKind[],
): Promise<void> {
  const { oneTimeTokens } = store.t;
  await store.q
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), inArray(oneTimeTokens.kind, [...kinds])));
}

/** Removes at most `batchSize` tokens whose time was over at `before`, used or not. Answers how many. */
export async function removeExpiredOneTimeTokens(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { oneTimeTokens } = store.t;
  const batch = store.q
    .select({ tokenHash: oneTimeTokens.tokenHash })
    .from(oneTimeTokens)
    .where(lte(oneTimeTokens.expiresAt, before))
    .limit(batchSize);
  const removed = await store.q
    .delete(oneTimeTokens)
    .where(inArray(oneTimeTokens.tokenHash, batch))
    .returning({ tokenHash: oneTimeTokens.tokenHash });
  return removed.length;
}
