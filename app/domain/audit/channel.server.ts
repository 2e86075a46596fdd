import { channel } from "node:diagnostics_channel";
import type { AuditEvent } from "./record.server.ts";

/** The channel's name, for whoever listens. */
export const AUDIT_CHANNEL = "gatehouse:audit";

/** What is told of an event: nothing about a person. */
export type ToldEvent = Pick<AuditEvent, "type" | "outcome"> & { reason: string | null };

// A channel of the process: the program and the pages are two bundles, each with its own copy of this module.
const told = channel(AUDIT_CHANNEL);

/** Tells whoever listens that an event was recorded. Costs nothing while nobody does. */
export function tellEvent({ type, outcome, reason }: AuditEvent): void {
  if (told.hasSubscribers) told.publish({ type, outcome, reason: reason ?? null } satisfies ToldEvent);
}
