import type { AuditOutcome } from "#app/db/schema.server.ts";
import type { AuditEventType } from "#app/domain/audit/events.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";

/** An event in the settings. `reason` is a fixed word. */
type SettingsEvent = { type: AuditEventType; outcome: AuditOutcome; reason?: string; clientId?: string };

/** Records an event in the settings. `clientId` is the client that opened them, unless the event has its own. */
export async function recordSettings(
  context: AuditDeps,
  { userId, clientId }: Pick<SettingsAccess, "userId" | "clientId">,
  { address, userAgent, requestId }: RequestMetadata,
  event: SettingsEvent,
): Promise<void> {
  await recordEvent(context, { userId, clientId, address, userAgent, requestId, ...event });
}
