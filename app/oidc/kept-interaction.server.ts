import { z } from "zod";
import { finishInteraction } from "#app/db/repositories/interactions.server.ts";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";

/** How long the parameters of a finished or expired interaction are kept, in seconds. */
export const KEPT_SECONDS = 24 * 60 * 60;

/** Interactions whose record is longer than this many characters of JSON do not keep their parameters. */
export const KEPT_MAX_LENGTH = 4096;

/** What is kept. An interaction that has just ended has a result instead of the mark. */
const payload = z.object({
  params: z.record(z.string(), z.unknown()),
  trusted: z.array(z.string()).optional(),
  rejected: z.boolean().optional(),
  browserHash: z.string().optional(),
});
const ended = z.object({ result: z.object({ error: z.string().optional(), browserHash: z.string().optional() }) });

/**
 * What is known of an authorization request, open or not. `used`: its interaction was finished; `rejected`: with an
 * error, as when the person refuses; `browserHash`: of the cookie of the browser that answered it.
 */
export type KeptRequest = {
  used: boolean;
  rejected: boolean;
  browserHash: string | null;
  params: Record<string, unknown>;
  trusted: string[];
};

/**
 * Finishes an interaction: all that is left of it is the request's parameters and how it ended, for a day.
 * @returns false when another request finished it first
 */
export async function keepParameters({ store, clock }: { store: Store; clock: Clock }, uid: string): Promise<boolean> {
  const left = (await findRecord(store, "Interaction", uid))?.payload;
  const kept = payload.safeParse(left);
  if (!kept.success) return false;
  const { error, browserHash } = ended.safeParse(left).data?.result ?? {};
  const now = clock.now();
  const isSmall = JSON.stringify(left).length <= KEPT_MAX_LENGTH;
  const data = isSmall ? kept.data : { params: { client_id: kept.data.params.client_id } };
  return finishInteraction(store, uid, {
    payload: { ...data, ...(error ? { rejected: true } : {}), ...(browserHash ? { browserHash } : {}) },
    consumedAt: now,
    expiresAt: new Date(now.getTime() + KEPT_SECONDS * 1000),
  });
}

/** The request behind an interaction, also when that is finished or out of time; null when nothing is known (any more). */
export async function findKeptRequest(
  { store, clock }: { store: Store; clock: Clock },
  uid: string,
): Promise<KeptRequest | null> {
  const row = await findRecord(store, "Interaction", uid);
  const kept = payload.safeParse(row?.payload);
  if (!row || !kept.success) return null;
  const graceMs = row.consumedAt ? 0 : KEPT_SECONDS * 1000;
  if ((row.expiresAt?.getTime() ?? 0) + graceMs <= clock.now().getTime()) return null;
  const { params, trusted = [], rejected = false, browserHash = null } = kept.data;
  return { used: row.consumedAt !== null, rejected, browserHash, params, trusted };
}
