import { channel } from "node:diagnostics_channel";
import type { AuditOutcome } from "#app/db/schema.server.ts";
import type { AuditEventType } from "./events.ts";

/** The channel's name, for whoever listens. */
export const AUDIT_CHANNEL = "gatehouse:audit";

/** What is told of an event: nothing about a person. */
export type ToldEvent = { type: AuditEventType; outcome: AuditOutcome; reason: string | null };

// A channel of the process: the program and the pages are two bundles, each with its own copy of this module.
const told = channel(AUDIT_CHANNEL);

/** Tells whoever listens that an event was recorded. Costs nothing while nobody does. */
export function tellEvent({ type, outcome, reason }: Omit<ToldEvent, "reason"> & { reason?: string | null }): void {
  if (told.hasSubscribers) told.publish({ type, outcome, reason: reason ?? null } satisfies ToldEvent);
}
