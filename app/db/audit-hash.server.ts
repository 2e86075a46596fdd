import { createHash } from "node:crypto";
import type { AuditEvent } from "./schema.server.ts";

/** The fields that the hash of an event covers. `sequence` is excluded because the database assigns it. */
type HashedEvent = Omit<AuditEvent, "sequence" | "hash">;

/** `previousHash` of the first event. */
export const FIRST_PREVIOUS_HASH = "";

/**
 * Returns the SHA-256 (base64url) of the event and the previous hash; a changed event breaks the chain from there on.
 */
export function auditHash(event: HashedEvent): string {
  const { at, type, userId, clientId, address, requestId, outcome, detail, actorId, previousHash } = event;
  const content = [at.getTime(), type, userId, clientId, address, requestId, outcome, detail, previousHash];
  // Events of versions that recorded no actor keep their hashes.
  if (actorId !== null) content.push(actorId);
  return createHash("sha256").update(JSON.stringify(content, sortKeys)).digest("base64url");
}

/** JSON.stringify replacer that sorts object keys, so that the hash does not depend on insertion order. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
