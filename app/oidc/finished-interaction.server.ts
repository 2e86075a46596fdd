import { z } from "zod";
import { finishInteraction } from "#app/db/repositories/interactions.server.ts";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { JsonObject } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { LIFETIMES } from "./lifetimes.server.ts";
import { takeRow } from "./request-rows.server.ts";

/** Time after its expiry for which an interaction can be restarted, in seconds. */
export const KEPT_SECONDS = DAY_SECONDS;

/** A finished interaction is kept for as long as its challenge could restart it. */
const FINISHED_SECONDS = LIFETIMES.interaction + KEPT_SECONDS;

/** Interactions whose record is longer than this many characters of JSON do not keep their parameters. */
export const KEPT_MAX_LENGTH = 4096;

/** Kept part of the payload. An interaction that just finished has `result` instead of `rejected`. */
const payload = z.object({
  params: z.record(z.string(), z.unknown()),
  trusted: z.array(z.string()).optional(),
  rejected: z.boolean().optional(),
  browserHash: z.string().optional(),
});
const ended = z.object({ result: z.object({ error: z.string().optional(), browserHash: z.string().optional() }) });

/**
 * An authorization request, open or not. `used`: its interaction is finished; `rejected`: it ended with an error, e.g.
 * when the user refused; `browserHash`: hash of the browser cookie with which it was completed.
 */
export type KeptRequest = {
  used: boolean;
  rejected: boolean;
  browserHash: string | null;
  params: Record<string, unknown>;
  trusted: string[];
};

/**
 * Finishes an interaction. Only the parameters and the outcome are kept.
 * @returns false if another request finished it first
 */
export async function keepParameters({ store, clock }: { store: Store; clock: Clock }, uid: string): Promise<boolean> {
  const stored = (takeRow("Interaction", uid) ?? (await findRecord(store, "Interaction", uid)))?.payload;
  const kept = payload.safeParse(stored);
  if (!kept.success) return false;
  const { error, browserHash } = ended.safeParse(stored).data?.result ?? {};
  const now = clock.now();
  const isSmall = JSON.stringify(stored).length <= KEPT_MAX_LENGTH;
  const data = isSmall ? kept.data : { params: { client_id: kept.data.params.client_id } };
  return finishInteraction(store, uid, {
    payload: { ...data, ...(error ? { rejected: true } : {}), ...(browserHash ? { browserHash } : {}) },
    consumedAt: now,
    expiresAt: new Date(now.getTime() + FINISHED_SECONDS * 1000),
  });
}

/** Finds the request of a stored interaction, also of a finished or expired one; null if nothing is kept. */
export async function findKeptRequest(
  { store, clock }: { store: Store; clock: Clock },
  uid: string,
): Promise<KeptRequest | null> {
  const row = await findRecord(store, "Interaction", uid);
  return row && keptRequestOf(row, clock.now());
}

/** Returns the request of an interaction that is stored, or of one that is not; null if it is too old. */
export function keptRequestOf(
  row: { payload: JsonObject; expiresAt: Date | null; consumedAt: Date | null },
  now: Date,
): KeptRequest | null {
  const kept = payload.safeParse(row.payload);
  if (!kept.success) return null;
  const graceMs = row.consumedAt ? 0 : KEPT_SECONDS * 1000;
  if ((row.expiresAt?.getTime() ?? 0) + graceMs <= now.getTime()) return null;
  const { params, trusted = [], rejected = false, browserHash = null } = kept.data;
  return { used: row.consumedAt !== null, rejected, browserHash, params, trusted };
}
