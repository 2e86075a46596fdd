import {
  type ClientSession,
  claimLogouts,
  listDueLogoutIds,
  settleLogout,
} from "#app/db/repositories/backchannel-logouts.server.ts";
import type { BackchannelLogout, RemovedClient } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { deliverDue, nextAttemptAt } from "#app/domain/delivery/deliver-due.server.ts";
import { HOUR_MS, HOUR_SECONDS, MINUTE_MS, MINUTE_SECONDS } from "#app/durations.ts";

/** The result of one request to a client; `reason`: fixed words and numbers, without a token or a response body. */
export type LogoutResponse =
  | { kind: "delivered" }
  /** Another attempt may succeed. */
  | { kind: "failed"; reason: string }
  /** No attempt will succeed: the client rejected the token, or has no back-channel logout URI any more. */
  | { kind: "rejected"; reason: string };

/** A session that ended at a client; `removedClient`: how a client that was removed since receives the logout. */
export type EndedSession = ClientSession & { removedClient: RemovedClient | null };

/** Sends one logout token. Resolves within seconds; never rejects because of the client's response. */
type SendLogout = (session: EndedSession) => Promise<LogoutResponse>;

/** Concurrent requests, so that a slow client does not delay the others. */
const BATCH = 20;

/** Must exceed `LOGOUT_TIMEOUT_MS`. */
const CLAIM_MS = MINUTE_MS;

/** Delay after each failed attempt; the last entry applies to all further ones. */
const BACKOFF_SECONDS = [10, MINUTE_SECONDS, 5 * MINUTE_SECONDS, 30 * MINUTE_SECONDS, 2 * HOUR_SECONDS] as const;

/** Attempts end this long after the session. */
const LOGOUT_HOURS = 24;

/**
 * Sends all due back-channel logouts and returns how many were delivered. Failed ones are retried with a growing delay
 * until 24 hours after the end of the session, then marked as failed and recorded.
 */
export async function deliverDueLogouts(context: AuditDeps, send: SendLogout, stopping?: AbortSignal): Promise<number> {
  const { store, clock } = context;
  const queue = {
    clock,
    batchSize: BATCH,
    claimMs: CLAIM_MS,
    listDueIds: (query: Parameters<typeof listDueLogoutIds>[1]) => listDueLogoutIds(store, query),
    claim: (query: Parameters<typeof claimLogouts>[1]) => claimLogouts(store, query),
    deliver: (row: BackchannelLogout) => deliver(context, row, send),
  };
  return deliverDue(queue, stopping);
}

async function deliver(context: AuditDeps, row: BackchannelLogout, send: SendLogout): Promise<boolean> {
  const { store, clock } = context;
  const { clientId, userId, sid, removedClient } = row;
  const response = await send({ clientId, userId, sid, removedClient });
  const now = clock.now();
  if (response.kind === "delivered") {
    await settleLogout(store, row.id, { nextAttemptAt: null, sentAt: now, lastError: null });
    await recordEvent(context, { type: "backchannel-logout.sent", outcome: "ok", clientId, userId });
    return true;
  }
  const { reason } = response;
  const nextAttempt = response.kind === "rejected" ? null : laterAttempt(row, now);
  const type = nextAttempt ? "backchannel-logout.postponed" : "backchannel-logout.failed";
  const result = { nextAttemptAt: nextAttempt, failedAt: nextAttempt ? null : now, lastError: reason };
  // One transaction: a logout that was given up is in the audit trail.
  await store.tx(async (tx) => {
    await settleLogout(tx, row.id, result);
    await recordEvent({ ...context, store: tx }, { type, outcome: "failed", clientId, userId, reason });
  });
  return false;
}

function laterAttempt({ attempts, createdAt }: BackchannelLogout, now: Date): Date | null {
  const at = nextAttemptAt(now, attempts, BACKOFF_SECONDS);
  return at.getTime() - createdAt.getTime() > LOGOUT_HOURS * HOUR_MS ? null : at;
}
