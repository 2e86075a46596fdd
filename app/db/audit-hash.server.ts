import { createHash } from "node:crypto";
import type { AuditEvent } from "./schema.server.ts";

/** What the hash of an event covers: everything but its number, which the database gives. */
export type HashedEvent = Omit<AuditEvent, "sequence" | "hash">;

/** The hash before the first event. */
export const FIRST_PREVIOUS_HASH = "";

/** SHA-256 (base64url) over the event and the hash before it: changing one event breaks the chain from there on. */
export function auditHash(event: HashedEvent): string {
  const { at, type, userId, clientId, address, requestId, outcome, detail, previousHash } = event;
  const content = [at.getTime(), type, userId, clientId, address, requestId, outcome, detail, previousHash];
  return createHash("sha256").update(JSON.stringify(content, inOrder)).digest("base64url");
}

/** The same object gives the same text, in whatever order its keys were set. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
