import { and, eq, gt, gte, inArray, isNull, lte, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import { cannotBeStored, removeRows } from "#app/db/rows.server.ts";
import type { NewOneTimeToken, OneTimeToken, OneTimeTokenKind, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { TokenHash } from "#app/ports.ts";

/** A token as presented by its bearer. */
type PresentedToken = { kind: OneTimeTokenKind; tokenHash: TokenHash; now: Date };

/** Stores a token, in place of a used or unused one of the same kind and slot. */
export async function issueOneTimeToken(store: Store, token: Omit<NewOneTimeToken, "usedAt">): Promise<void> {
  const { payload, createdAt, expiresAt } = store.t.oneTimeTokens;
  await issueStatement(store).execute({
    ...EMPTY,
    ...token,
    payload: encoded(payload, token.payload),
    createdAt: encoded(createdAt, token.createdAt),
    expiresAt: encoded(expiresAt, token.expiresAt),
  });
}

/** Defaults, so that no value of a replaced token remains. */
const EMPTY = { slot: null, userId: null, generation: null, browserHash: null, clientId: null };

const issueStatement = prepared(({ q, t: { oneTimeTokens } }) => {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  const replaced = {
    tokenHash: value("tokenHash"),
    userId: value("userId"),
    generation: value("generation"),
    browserHash: value("browserHash"),
    clientId: value("clientId"),
    payload: value("payload"),
    createdAt: value("createdAt"),
    expiresAt: value("expiresAt"),
    usedAt: sql`null`,
  };
  return q
    .insert(oneTimeTokens)
    .values({ kind: value("kind"), slot: value("slot"), ...replaced })
    .onConflictDoUpdate({ target: [oneTimeTokens.kind, oneTimeTokens.slot], set: replaced })
    .prepare();
});

/**
 * Stores a token as used, although it was never issued as a row. One statement: of concurrent calls one wins. Returns
 * false if it was used before.
 */
export async function spendOneTimeToken(
  store: Store,
  { kind, tokenHash, now, expiresAt }: PresentedToken & { expiresAt: Date },
): Promise<boolean> {
  const columns = store.t.oneTimeTokens;
  const spent = await spendStatement(store).execute({
    kind,
    tokenHash,
    payload: encoded(columns.payload, {}),
    now: encoded(columns.createdAt, now),
    expiresAt: encoded(columns.expiresAt, expiresAt),
  });
  return spent.length === 1;
}

const spendStatement = prepared(({ q, t: { oneTimeTokens } }) => {
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  return q
    .insert(oneTimeTokens)
    .values({
      kind: value("kind"),
      tokenHash: value("tokenHash"),
      payload: value("payload"),
      createdAt: value("now"),
      expiresAt: value("expiresAt"),
      usedAt: value("now"),
    })
    .onConflictDoNothing({ target: oneTimeTokens.tokenHash })
    .returning({ tokenHash: oneTimeTokens.tokenHash })
    .prepare();
});

/** Matches the live token of the placeholders `kind`, `tokenHash` and `now`. */
function isPresented(oneTimeTokens: Tables["oneTimeTokens"]) {
  return and(eq(oneTimeTokens.tokenHash, sql.placeholder("tokenHash")), isLiveNow(oneTimeTokens));
}

function isLiveNow(oneTimeTokens: Tables["oneTimeTokens"]) {
  return and(
    eq(oneTimeTokens.kind, sql.placeholder("kind")),
    isNull(oneTimeTokens.usedAt),
    gt(oneTimeTokens.expiresAt, sql.placeholder("now")),
  );
}

const byHashStatement = prepared(({ q, t: { oneTimeTokens } }) =>
  q.select().from(oneTimeTokens).where(isPresented(oneTimeTokens)).prepare(),
);

/** Returns the token, unless it is used or expired. */
export async function findOneTimeToken(
  store: Store,
  { kind, tokenHash, now }: PresentedToken,
): Promise<OneTimeToken | null> {
  const time = encoded(store.t.oneTimeTokens.expiresAt, now);
  const [token] = await byHashStatement(store).execute({ kind, tokenHash, now: time });
  return token ?? null;
}

/** Returns the token of this slot, unless it is used or expired. */
export async function findOneTimeTokenOfSlot(
  store: Store,
  { kind, slot, now }: { kind: OneTimeTokenKind; slot: string; now: Date },
): Promise<OneTimeToken | null> {
  if (cannotBeStored(slot)) return null;
  const time = encoded(store.t.oneTimeTokens.expiresAt, now);
  const [token] = await bySlotStatement(store).execute({ kind, slot, now: time });
  return token ?? null;
}

const bySlotStatement = prepared(({ q, t: { oneTimeTokens } }) =>
  q
    .select()
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.slot, sql.placeholder("slot")), isLiveNow(oneTimeTokens)))
    .prepare(),
);

/** Changes of a renewal; omitted fields stay. */
type Renewal = { to: TokenHash; payload?: OneTimeToken["payload"]; generation?: number };

/**
 * Replaces token `from` by a new one with the same expiry. One statement: of concurrent calls one wins. Returns null if
 * `from` is used, replaced or expired.
 */
export async function renewOneTimeToken(
  store: Store,
  { kind, from, now, ...renewal }: Renewal & { kind: OneTimeTokenKind; from: TokenHash; now: Date },
): Promise<OneTimeToken | null> {
  const { expiresAt, payload } = store.t.oneTimeTokens;
  const [token] = await renewStatement(store).execute({
    kind,
    tokenHash: from,
    now: encoded(expiresAt, now),
    to: renewal.to,
    payload: encoded(payload, renewal.payload ?? null),
    generation: renewal.generation ?? null,
  });
  return token ?? null;
}

const renewStatement = prepared(({ q, t: { oneTimeTokens } }) =>
  q
    .update(oneTimeTokens)
    .set({
      tokenHash: sql`${sql.placeholder("to")}`,
      payload: sql`coalesce(${sql.placeholder("payload")}, ${oneTimeTokens.payload})`,
      generation: sql`coalesce(${sql.placeholder("generation")}, ${oneTimeTokens.generation})`,
    })
    .where(isPresented(oneTimeTokens))
    .returning()
    .prepare(),
);

/**
 * Replaces the current token of the slot if it belongs to this browser. One statement: of concurrent calls the last one
 * wins. Returns null if there is none, or it is used or expired.
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
  const time = encoded(store.t.oneTimeTokens.expiresAt, now);
  const [token] = await renewInSlotStatement(store).execute({ kind, slot, browserHash, to, now: time });
  return token ?? null;
}

const renewInSlotStatement = prepared(({ q, t: { oneTimeTokens } }) =>
  q
    .update(oneTimeTokens)
    .set({ tokenHash: sql`${sql.placeholder("to")}` })
    .where(
      and(
        eq(oneTimeTokens.slot, sql.placeholder("slot")),
        eq(oneTimeTokens.browserHash, sql.placeholder("browserHash")),
        isLiveNow(oneTimeTokens),
      ),
    )
    .returning()
    .prepare(),
);

/** Consumes the token. One statement: of concurrent calls one wins. Returns null if it is used or expired. */
export async function consumeOneTimeToken(
  store: Store,
  { kind, tokenHash, now }: PresentedToken,
): Promise<OneTimeToken | null> {
  const time = encoded(store.t.oneTimeTokens.expiresAt, now);
  const [token] = await consumeStatement(store).execute({ kind, tokenHash, now: time });
  return token ?? null;
}

const consumeStatement = prepared(({ q, t: { oneTimeTokens } }) =>
  q
    .update(oneTimeTokens)
    .set({ usedAt: sql`${sql.placeholder("now")}` })
    .where(isPresented(oneTimeTokens))
    .returning()
    .prepare(),
);

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

/** Removes the user's tokens of this kind that were issued at `since` or later, used or not. */
export async function removeOneTimeTokensSince(
  store: Store,
  userId: string,
  { kind, since }: { kind: OneTimeTokenKind; since: Date },
): Promise<void> {
  const { oneTimeTokens } = store.t;
  await store.q
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.userId, userId), eq(oneTimeTokens.kind, kind), gte(oneTimeTokens.createdAt, since)));
}

/** Removes at most `batchSize` tokens that expired at or before `before`, used or not. Returns how many. */
export async function removeExpiredOneTimeTokens(
  store: Store,
  { before, batchSize }: { before: Date; batchSize: number },
): Promise<number> {
  const { oneTimeTokens: table } = store.t;
  return removeRows(store, { table, key: table.tokenHash, where: lte(table.expiresAt, before), batchSize });
}
