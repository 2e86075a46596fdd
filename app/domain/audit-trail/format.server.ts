import { stringify } from "csv-stringify/sync";
import type { AuditEvent } from "#app/db/schema.server.ts";
import { toSnakeCase } from "#app/domain/base/snake-case.ts";

const COLUMNS = [
  ...["sequence", "at", "type", "outcome", "user_id", "client_id", "address", "request_id"],
  ...["username", "reason", "user_agent", "actor_id", "actor", "operator", "detail", "previous_hash", "hash"],
];

/** Returns the format of events as CSV (RFC 4180): with a BOM for Excel, and with formulas escaped. */
export function auditCsv(delimiter = ",") {
  return {
    head: stringify([COLUMNS], { bom: true, delimiter }),
    page: (events: readonly AuditEvent[]): string =>
      stringify(events.map(cellsOf), { escape_formulas: true, delimiter }),
  };
}

/** Returns an event as one line of JSON, with the keys of the columns. */
export function auditJsonLine(event: AuditEvent): string {
  return JSON.stringify(toSnakeCase(event));
}

function cellsOf(event: AuditEvent): unknown[] {
  const { username, reason, userAgent, actor, operator, ...rest } = event.detail;
  return [
    ...[event.sequence, event.at.toISOString(), event.type, event.outcome],
    ...[event.userId, event.clientId, event.address, event.requestId],
    ...[username, reason, userAgent, event.actorId, actor, operator],
    ...[Object.keys(rest).length > 0 ? JSON.stringify(rest) : null],
    ...[hashCell(event.previousHash), hashCell(event.hash)],
  ];
}

/** The prefix prevents that a hash with a leading hyphen is escaped as a formula. */
function hashCell(hash: string): string | null {
  return hash === "" ? null : `sha256:${hash}`;
}
