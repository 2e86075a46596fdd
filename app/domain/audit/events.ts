import { ACCOUNT_EVENTS } from "./account-events.ts";
import { ADMINISTRATION_EVENTS } from "./administration-events.ts";
import { ACTIVITY_KINDS, type EventDefinition } from "./event-definition.ts";
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

/** Name of an event that is stored in the audit trail, and so has a text in the activity of the administration. */
export type StoredEventType = {
  [Type in AuditEventType]: (typeof AUDIT_EVENTS)[Type]["stored"] extends true ? Type : never;
}[AuditEventType];

/** Returns true for the type of a stored event of this version. */
export function isStoredEvent(type: string): type is StoredEventType {
  return findAuditEvent(type)?.stored === true;
}

/** Kinds of events that the activity of the administration can be limited to. */
export const TRAIL_KINDS = [...ACTIVITY_KINDS, "administration"] as const;

/** A kind of events of the audit trail; `administration`: of administrators, commands and scheduled work. */
export type TrailKind = (typeof TRAIL_KINDS)[number];

/** Returns the types of the events of this kind. */
export function listTypesOfKind(kind: TrailKind): string[] {
  if (kind === "administration") return Object.keys(ADMINISTRATION_EVENTS);
  const all: [string, EventDefinition][] = Object.entries(AUDIT_EVENTS);
  return all.flatMap(([type, { kinds }]) => (kinds.includes(kind) ? [type] : []));
}
