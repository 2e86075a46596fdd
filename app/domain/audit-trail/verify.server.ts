import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import { auditHash, FIRST_PREVIOUS_HASH } from "#app/db/audit-hash.server.ts";
import { findLastAuditEvent, listAuditEvents, listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { Clock } from "#app/ports.ts";
import { findChainStart } from "./retention.server.ts";

const PAGE_SIZE = 500;
/** Maximum number of listed breaks; further ones are only counted. */
const MAX_LISTED = 100;

/** Number and hash of an event. Stored apart from the database, it reveals a truncated chain. */
export type AuditDigest = { sequence: number; hash: string };

/**
 * `edited`: the event does not match its hash. `unlinked`: its previous hash does not match the preceding event (number
 * `after`, null at the start): an event was removed, moved or replaced. `replaced`: the event does not match the
 * digest. `missing`: the digest's event does not exist.
 */
export type ChainBreak = {
  kind: "edited" | "unlinked" | "replaced" | "missing";
  sequence: number;
  after: number | null;
};

/** Result of a verification. `broken`: at most the first 100 breaks. */
export type ChainVerification = {
  ok: boolean;
  events: number;
  first: number | null;
  last: AuditDigest | null;
  brokenCount: number;
  broken: ChainBreak[];
};

/**
 * Verifies the hash chain from its start, or from where retention trimmed it, page by page. With `digest`, the last
 * event of an earlier verification, also checks that this event still exists; the chain alone does not reveal a
 * truncation. `onProgress` is called with the number of verified events.
 */
export async function verifyAuditChain(
  { store }: { store: Store },
  { digest, onProgress }: { digest?: AuditDigest; onProgress?: (events: number) => void } = {},
): Promise<ChainVerification> {
  const start = await findChainStart(store);
  const result: ChainVerification = { ok: true, events: 0, first: null, last: null, brokenCount: 0, broken: [] };
  const report = (broken: ChainBreak) => {
    result.ok = false;
    result.brokenCount += 1;
    if (result.broken.length < MAX_LISTED) result.broken.push(broken);
  };
  let expectedDigest = digest && digest.sequence > (start?.through ?? 0) ? digest : null;
  let previous: { sequence: number | null; hash: string } = {
    sequence: null,
    hash: start?.hash ?? FIRST_PREVIOUS_HASH,
  };
  let page: AuditEvent[];
  do {
    page = await listAuditEvents(store, { after: result.last?.sequence ?? start?.through ?? 0, limit: PAGE_SIZE });
    for (const event of page) {
      for (const broken of breaksOf(event, previous, expectedDigest)) report(broken);
      if (event.sequence === expectedDigest?.sequence) expectedDigest = null;
      previous = event;
      result.first ??= event.sequence;
      result.last = { sequence: event.sequence, hash: event.hash };
    }
    result.events += page.length;
    onProgress?.(result.events);
    // SQLite reads a page at once: other work runs between two pages.
    await setImmediate();
  } while (page.length === PAGE_SIZE);
  if (expectedDigest) {
    report({ kind: "missing", sequence: expectedDigest.sequence, after: result.last?.sequence ?? null });
  }
  return result;
}

function breaksOf(
  event: AuditEvent,
  previous: { sequence: number | null; hash: string },
  digest: AuditDigest | null,
): ChainBreak[] {
  const { sequence } = event;
  const found: ChainBreak[] = [];
  if (event.previousHash !== previous.hash) found.push({ kind: "unlinked", sequence, after: previous.sequence });
  if (auditHash(event) !== event.hash) found.push({ kind: "edited", sequence, after: null });
  if (digest?.sequence === sequence && digest.hash !== event.hash) {
    found.push({ kind: "replaced", sequence, after: null });
  }
  return found;
}

/** Dependencies of `recordVerification`. */
type VerifyDeps = { store: Store; clock: Clock; log: Logger };

/**
 * Verifies the hash chain and records the result as an event of the chain, which then names who asked for it. Does
 * nothing if the last verification is younger than `notWithinMs`. Safe to call in several servers.
 */
export async function recordVerification(context: VerifyDeps, notWithinMs: number): Promise<void> {
  const { store, clock, log } = context;
  const last = await findLastAuditEvent(store, "audit.verified");
  if (last && clock.now().getTime() - last.at.getTime() < notWithinMs) return;
  const { ok, events, broken } = await verifyAuditChain({ store });
  const reason = ok ? null : `event ${broken[0]?.sequence ?? "unknown"}`;
  if (!ok) log.error({ events, reason }, "the audit trail is broken: gatehouse audit verify lists the events");
  await recordEvent(context, { type: "audit.verified", outcome: ok ? "ok" : "failed", events, reason });
}

/**
 * Creates a function that logs the number and hash of the last audit event at its first call of each day (UTC). Stored
 * apart from the database, the line reveals a later truncation or rewriting of the trail (`verifyAuditChain`).
 */
export function createDailyDigest(): (context: { store: Store; clock: Clock; log: Logger }) => Promise<void> {
  let loggedDay = "";
  return async ({ store, clock, log }) => {
    const day = clock.now().toISOString().slice(0, 10);
    if (day === loggedDay) return;
    const [event] = await listLastAuditEvents(store, { limit: 1 });
    if (event) log.info({ event: "audit.digest", digest: `${event.sequence}:${event.hash}` }, "audit.digest");
    loggedDay = day;
  };
}
