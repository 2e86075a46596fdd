import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { type AuditDeps, type AuditEvent, recordEvent } from "#app/domain/audit/record.server.ts";
import { describeError } from "#app/domain/base/describe-error.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { RequestLogFields } from "./events.server.ts";
import type { Refusal } from "./refusal.server.ts";

/** Records refused requests of registered clients in the audit trail. */
export type RefusalRecorder = {
  /** Notes the refusal of a request; of several, the last one counts. */
  note(ctx: KoaContextWithOIDC, refusal: Refusal): void;
  /** Middleware of oidc-provider that records what was noted. The response does not depend on it. */
  record(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void>;
};

/**
 * Creates the recorder. Anybody can cause refusals, so that a process records one for each client and cause in an hour;
 * the log contains all of them. Refusals without a registered client or a known cause are only logged.
 */
export function createRefusalRecorder(
  deps: AuditDeps,
  requestFieldsOf: (request: IncomingMessage) => RequestLogFields | null,
): RefusalRecorder {
  const noted = new WeakMap<IncomingMessage, AuditEvent>();
  const recordedAt = new Map<string, number>();

  /** Returns true if no such refusal was recorded within the last hour, or the clock was set back since. */
  function isDue({ clientId, reason }: AuditEvent): boolean {
    const key = JSON.stringify([clientId, reason]);
    const now = deps.clock.now().getTime();
    const last = recordedAt.get(key) ?? Number.NEGATIVE_INFINITY;
    if (now >= last && now - last < HOUR_MS) return false;
    recordedAt.set(key, now);
    return true;
  }

  return {
    note(ctx, { cause, redirectUri, refusedScopes }) {
      const clientId = ctx.oidc?.client?.clientId;
      if (clientId === undefined || cause === undefined) return;
      const { address = null, requestId = null } = requestFieldsOf(ctx.req) ?? {};
      const details = { redirectUri: redirectUri ?? null, refusedScopes: refusedScopes ?? null };
      const source = { clientId, address, requestId, reason: cause };
      noted.set(ctx.req, { type: "client.refused", outcome: "refused", ...source, ...details });
    },
    async record(ctx, next) {
      await next();
      const event = noted.get(ctx.req);
      if (event === undefined || !isDue(event)) return;
      try {
        await recordEvent(deps, event);
      } catch (error) {
        deps.log.error({ event: "client.refused", error: describeError(error) }, "a refused request was not recorded");
      }
    },
  };
}
