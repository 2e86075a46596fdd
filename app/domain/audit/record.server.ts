import type { Logger } from "pino";
import { appendAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import type { AuditOutcome } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import type { Clock } from "#app/ports.ts";
import { AUDIT_EVENTS, type AuditEventType } from "./events.ts";
import { instrumentation } from "./instrumentation.server.ts";

/** Maximum length of a recorded user agent, in code points: browsers end it with their names. */
const USER_AGENT_LENGTH = 256;

/** Dependencies of recording. Inside a transaction, pass the transaction's store. */
export type AuditDeps = { store: Store; clock: Clock; log: Logger };

/**
 * One event. `username` is that of a user, never of an unknown one; `userAgent` is raw user input; `reason` is a fixed
 * word. Fields that do not apply are null or omitted: an administrator's command has no address and no request.
 */
export type AuditEvent = {
  type: AuditEventType;
  outcome: AuditOutcome;
  userId?: string | null;
  username?: string | null;
  /** Result of `hashTypedName` for the name of an unknown user; not logged. */
  nameHash?: string | null;
  clientId?: string | null;
  /** The group that the user joins or leaves. */
  groupId?: string | null;
  address?: string | null;
  userAgent?: string | null;
  requestId?: string | null;
  reason?: string | null;
  /** redirect_uri of a refused request, without query (`loggableUri`). */
  redirectUri?: string | null;
  /** Scopes that were refused, printable. */
  refusedScopes?: string | null;
  /** Number of events of the audit trail, for its verification. */
  events?: number | null;
  /** "new": a sign-in with an unknown browser, but not the first one of the user. */
  browser?: "new" | null;
};

/**
 * Records a security event: one structured log line, and for stored events a row in the hash-chained audit trail. The
 * event is appended at the end of the transaction, and logged and counted only after the commit.
 */
export async function recordEvent({ store, clock, log }: AuditDeps, event: AuditEvent): Promise<void> {
  const at = clock.now();
  const { type, outcome } = event;
  const metadata = {
    userId: event.userId ?? null,
    clientId: event.clientId ?? null,
    address: event.address ?? null,
    requestId: event.requestId ?? null,
  };
  const logged = withoutEmpty({
    username: event.username ? printable(event.username) : null,
    userAgent: event.userAgent ? printable(event.userAgent, USER_AGENT_LENGTH) : null,
    reason: event.reason ?? null,
    browser: event.browser ?? null,
    groupId: event.groupId ?? null,
    redirectUri: event.redirectUri ?? null,
    refusedScopes: event.refusedScopes ?? null,
    events: event.events?.toString() ?? null,
  });
  const publish = () => {
    const actor = store.administrator === null ? {} : { actor: store.administrator.username };
    log.info({ event: type, at: at.toISOString(), outcome, ...metadata, ...logged, ...actor }, type);
    instrumentation.emit("audit event", { type, outcome, reason: event.reason ?? null });
  };
  if (!AUDIT_EVENTS[type].stored) return store.afterCommit(publish);
  const append = async (tx: Store) => {
    const detail = { ...logged, ...withoutEmpty({ nameHash: event.nameHash ?? null }) };
    await appendAuditEvent(tx, { at, type, outcome, ...metadata, detail });
    tx.afterCommit(publish);
  };
  // Appended last, because the hash chain stays locked until the transaction ends.
  if (store.isTransaction) store.beforeCommit(() => append(store));
  else await store.tx(append);
}

function withoutEmpty(detail: Record<string, string | null>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(detail)) if (value !== null) kept[key] = value;
  return kept;
}
