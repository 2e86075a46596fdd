import { channel } from "node:diagnostics_channel";
import type { AuditOutcome } from "#app/db/schema.server.ts";
import type { AuditEventType } from "./events.ts";

/** Name of the diagnostics channel. */
export const AUDIT_CHANNEL = "gatehouse:audit";

/** The published part of an event: without personal data. */
export type PublishedEvent = { type: AuditEventType; outcome: AuditOutcome; reason: string | null };

// diagnostics_channel is process-wide: the server and the Remix build each have their own copy of this module.
const auditChannel = channel(AUDIT_CHANNEL);

/** Publishes that an event was recorded. */
export function publishEvent({
  type,
  outcome,
  reason,
}: Omit<PublishedEvent, "reason"> & { reason?: string | null }): void {
  if (auditChannel.hasSubscribers)
    auditChannel.publish({ type, outcome, reason: reason ?? null } satisfies PublishedEvent);
}
