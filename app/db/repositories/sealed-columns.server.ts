import { and, asc, eq, gt, isNotNull, ne, sql } from "drizzle-orm";
import type { JsonObject } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SealedSecret, SealPurpose } from "#app/ports.ts";

/** A sealed text and the primary key of its row. */
export type SealedRow = { key: string; sealed: SealedSecret };

/** Rows after the key `after` ("": from the start), at most `limit`. */
type SealedPage = { after: string; limit: number };

/** A replacement of the sealed text `expected`. */
export type Resealed = { key: string; expected: SealedSecret; sealed: SealedSecret };

/**
 * A column with sealed texts and their purpose. `list` pages through the rows by key; `replace` returns false if the
 * row was changed concurrently.
 */
export type SealedColumn = {
  purpose: SealPurpose;
  count(store: Store): Promise<number>;
  list(store: Store, page: SealedPage): Promise<SealedRow[]>;
  replace(store: Store, resealed: Resealed): Promise<boolean>;
};

/** Content of a sealed column that was cleared. */
const CLEARED = sql`''`;

/** Every column with sealed texts, by table. New sealed columns must be added here. */
export const SEALED_COLUMNS: Readonly<Record<string, SealedColumn>> = {
  totp_credentials: {
    purpose: "totp",
    count: ({ q, t }) => q.$count(t.totpCredentials),
    list: ({ q, t: { totpCredentials: t } }, { after, limit }) =>
      q
        .select({ key: t.userId, sealed: t.sealedSecret })
        .from(t)
        .where(gt(t.userId, after))
        .orderBy(asc(t.userId))
        .limit(limit),
    replace: async ({ q, t: { totpCredentials: t } }, { key, expected, sealed }) =>
      isOne(
        await q
          .update(t)
          .set({ sealedSecret: sealed })
          .where(and(eq(t.userId, key), eq(t.sealedSecret, expected)))
          .returning({ key: t.userId }),
      ),
  },
  clients: {
    purpose: "client-secret",
    count: ({ q, t }) => q.$count(t.clients, isNotNull(t.clients.sealedSecret)),
    list: async ({ q, t: { clients: t } }, { after, limit }) => {
      const secret = sql<SealedSecret>`${t.sealedSecret}`;
      return q
        .select({ key: t.id, sealed: secret })
        .from(t)
        .where(and(gt(t.id, after), isNotNull(t.sealedSecret)))
        .orderBy(asc(t.id))
        .limit(limit);
    },
    replace: async ({ q, t: { clients: t } }, { key, expected, sealed }) =>
      isOne(
        await q
          .update(t)
          .set({ sealedSecret: sealed })
          .where(and(eq(t.id, key), eq(t.sealedSecret, expected)))
          .returning({ key: t.id }),
      ),
  },
  signing_keys: {
    purpose: "signing-key",
    count: ({ q, t }) => q.$count(t.signingKeys),
    list: ({ q, t: { signingKeys: t } }, { after, limit }) =>
      q.select({ key: t.kid, sealed: t.sealedJwk }).from(t).where(gt(t.kid, after)).orderBy(asc(t.kid)).limit(limit),
    replace: async ({ q, t: { signingKeys: t } }, { key, expected, sealed }) =>
      isOne(
        await q
          .update(t)
          .set({ sealedJwk: sealed })
          .where(and(eq(t.kid, key), eq(t.sealedJwk, expected)))
          .returning({ key: t.kid }),
      ),
  },
  mail_outbox: {
    purpose: "mail",
    count: ({ q, t }) => q.$count(t.mailOutbox, ne(t.mailOutbox.sealedMessage, CLEARED)),
    list: ({ q, t: { mailOutbox: t } }, { after, limit }) =>
      q
        .select({ key: t.id, sealed: t.sealedMessage })
        .from(t)
        .where(and(gt(t.id, after), ne(t.sealedMessage, CLEARED)))
        .orderBy(asc(t.id))
        .limit(limit),
    replace: async ({ q, t: { mailOutbox: t } }, { key, expected, sealed }) =>
      isOne(
        await q
          .update(t)
          .set({ sealedMessage: sealed })
          .where(and(eq(t.id, key), eq(t.sealedMessage, expected)))
          .returning({ key: t.id }),
      ),
  },
  one_time_tokens: {
    purpose: "totp",
    count: ({ q, t }) => q.$count(t.oneTimeTokens, eq(t.oneTimeTokens.kind, "totp-setup")),
    list: async ({ q, t: { oneTimeTokens: t } }, { after, limit }) => {
      const rows = await q
        .select({ key: sql<string>`${t.tokenHash}`, payload: t.payload })
        .from(t)
        .where(and(eq(t.kind, "totp-setup"), sql`${t.tokenHash} > ${after}`))
        .orderBy(asc(t.tokenHash))
        .limit(limit);
      return rows.map(({ key, payload }) => ({ key, sealed: sealedIn(payload) }));
    },
    async replace({ q, t: { oneTimeTokens: t } }, { key, expected, sealed }) {
      const isRow = sql`${t.tokenHash} = ${key}`;
      const [row] = await q.select({ payload: t.payload }).from(t).where(isRow);
      if (!row || sealedIn(row.payload) !== expected) return false;
      const payload = { ...row.payload, sealedSecret: sealed };
      return isOne(await q.update(t).set({ payload }).where(isRow).returning({ key: t.tokenHash }));
    },
  },
};

/** Returns the sealed secret of an authenticator app that is being set up. */
function sealedIn({ sealedSecret }: JsonObject): SealedSecret {
  // The payload is JSON; domain/totp/set-up.server.ts stores a sealed text under this name.
  return String(sealedSecret ?? "") as SealedSecret;
}

function isOne(rows: readonly unknown[]): boolean {
  return rows.length === 1;
}
