import { ACCOUNT_EVENTS } from "./account-events.ts";
import { ADMINISTRATION_EVENTS } from "./administration-events.ts";
import type { ActivityKind, EventDefinition } from "./event-definition.ts";
import { SIGN_IN_EVENTS } from "./sign-in-events.ts";

/** All events: each is logged and counted; `stored` ones also get a row in the hash-chained audit trail. */
export const AUDIT_EVENTS = { ...SIGN_IN_EVENTS, ...ACCOUNT_EVENTS, ...ADMINISTRATION_EVENTS };

/** Name of an audit event, as logged and stored. */
export type AuditEventType = keyof typeof AUDIT_EVENTS;

const definitions: ReadonlyMap<string, (typeof AUDIT_EVENTS)[AuditEventType]> = new Map(Object.entries(AUDIT_EVENTS));

/** Returns the definition of a stored event; null for the type of another version. */
export function findAuditEvent(type: string): (typeof AUDIT_EVENTS)[AuditEventType] | null {
  return definitions.get(type) ?? null;
}

/** Returns the types of the events that the recent activity shows for this kind. */
export function listTypesOfKind(kind: ActivityKind): string[] {
  const all: [string, EventDefinition][] = Object.entries(AUDIT_EVENTS);
  return all.flatMap(([type, { kinds }]) => (kinds.includes(kind) ? [type] : []));
}
