import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { encoded, prepared } from "#app/db/prepared.server.ts";
import type { JsonObject, Tables } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";

type Records = Tables["oidcRecords"];

/** Matches an interaction that is neither finished nor destroyed. */
function isUnfinished(records: Records) {
  return and(
    eq(records.model, "Interaction"),
    eq(records.id, sql.placeholder("id")),
    isNull(records.consumedAt),
    isNull(records.destroyedAt),
  );
}

const replaceStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({ payload: sql`${sql.placeholder("payload")}` })
    .where(
      and(
        isUnfinished(oidcRecords),
        gt(oidcRecords.expiresAt, sql`${sql.placeholder("now")}`),
        // Compared as text: PostgreSQL's JSON operators fail on \u0000, which a parameter of a request may contain.
        sql`cast(${oidcRecords.payload} as text) = ${sql.placeholder("readPayload")}`,
      ),
    )
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/**
 * Replaces the payload of an interaction if it is unchanged since it was read. One conditional statement: of several
 * simultaneous responses, in any process, one is stored.
 * @returns false if the interaction was changed since, is finished, has expired or does not exist
 */
export async function replaceInteraction(
  store: Store,
  id: string,
  { readPayload, payload, now }: { readPayload: JsonObject; payload: JsonObject; now: Date },
): Promise<boolean> {
  const { oidcRecords } = store.t;
  const replaced = await replaceStatement(store).execute({
    id,
    readPayload: encoded(oidcRecords.payload, readPayload),
    payload: encoded(oidcRecords.payload, payload),
    now: encoded(oidcRecords.expiresAt, now),
  });
  return replaced.length === 1;
}

const finishStatement = prepared(({ q, t: { oidcRecords } }) =>
  q
    .update(oidcRecords)
    .set({
      payload: sql`${sql.placeholder("payload")}`,
      consumedAt: sql`${sql.placeholder("consumedAt")}`,
      expiresAt: sql`${sql.placeholder("expiresAt")}`,
      ...{ grantId: null, accountId: null, uid: null, userCode: null },
    })
    .where(isUnfinished(oidcRecords))
    .returning({ id: oidcRecords.id })
    .prepare(),
);

/**
 * Finishes an interaction and replaces the payload and expiry of its record. One conditional statement: of several
 * requests that resume it simultaneously, one finishes it.
 * @returns false if it is already finished or does not exist
 */
export async function finishInteraction(
  store: Store,
  id: string,
  kept: { payload: JsonObject; consumedAt: Date; expiresAt: Date },
): Promise<boolean> {
  const { payload, consumedAt, expiresAt } = store.t.oidcRecords;
  const finished = await finishStatement(store).execute({
    id,
    payload: encoded(payload, kept.payload),
    consumedAt: encoded(consumedAt, kept.consumedAt),
    expiresAt: encoded(expiresAt, kept.expiresAt),
  });
  return finished.length === 1;
}
