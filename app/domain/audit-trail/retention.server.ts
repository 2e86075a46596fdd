import type { Logger } from "pino";
import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import {
  appendAuditEvent,
  findFirstPastAuditEvent,
  findLastAuditEventBefore,
  listLastAuditEvents,
  removeAuditEventsThrough,
} from "#app/db/repositories/audit-events.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { inBatches } from "#app/domain/clean-up/in-batches.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** Number and hash of the last removed event; the chain starts after it. */
type ChainStart = { through: number; hash: string };

const chainStart = z.object({ through: z.number().int(), hash: z.string() });

/**
 * Removes events older than AUDIT_RETENTION_DAYS, at most a day late, in small batches, and returns how many. First
 * appends an event with the number and hash of the last one to remove, so that the rest can be verified. Safe to call
 * often and from several processes at once.
 */
export async function removeOldAuditEvents(context: {
  store: Store;
  clock: Clock;
  log: Logger;
  config: Pick<Config, "auditRetentionDays">;
}): Promise<number> {
  const { store, clock, config } = context;
  const now = clock.now();
  const cutoff = new Date(now.getTime() - config.auditRetentionDays * DAY_MS);
  // An event of a clock that was ahead must not keep the older ones that follow it.
  const first = await findFirstPastAuditEvent(store, now);
  // One cut a day, because each adds an event.
  if (first && first.at.getTime() < cutoff.getTime() - DAY_MS) await trim(context, { cutoff, now });
  // While no event is old, nothing is left to remove. If no event was ever removed, the start is searched in all events.
  if (!first || first.at >= cutoff) return 0;
  const start = await findChainStart(store);
  if (!start || first.sequence > start.through) return 0;
  return inBatches(context, (batchStore, batchSize) =>
    removeAuditEventsThrough(batchStore, { through: start.through, batchSize }),
  );
}

/** Returns the start of the chain, or null if it was never trimmed. */
export async function findChainStart(store: Store): Promise<ChainStart | null> {
  const [event] = await listLastAuditEvents(store, { limit: 1, types: ["audit.trimmed"] });
  return chainStart.safeParse(event?.detail).data ?? null;
}

async function trim(
  { store, log }: { store: Store; log: Logger },
  { cutoff, now }: { cutoff: Date; now: Date },
): Promise<void> {
  await store.tx(async (tx) => {
    await tx.lock("audit chain");
    const last = await findLastAuditEventBefore(tx, { time: cutoff, now });
    const start = await findChainStart(tx);
    if (!last || (start && start.through >= last.sequence)) return;
    const detail = { through: last.sequence, hash: last.hash };
    const eventFields = { type: "audit.trimmed", outcome: "ok", at: now } as const;
    const noActor = { userId: null, clientId: null, address: null, requestId: null };
    await appendAuditEvent(tx, { ...eventFields, ...noActor, detail });
    const line = { event: eventFields.type, at: eventFields.at.toISOString(), outcome: eventFields.outcome, ...detail };
    tx.afterCommit(() => log.info(line, eventFields.type));
  });
}
