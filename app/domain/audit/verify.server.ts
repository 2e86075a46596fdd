import { auditHash, FIRST_PREVIOUS_HASH } from "#app/db/audit-hash.server.ts";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { findChainStart } from "./retention.server.ts";

const PAGE_SIZE = 500;
/** Maximum number of listed breaks; further ones are only counted. */
const MAX_TOLD = 100;

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
export type ChainVerdict = {
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
): Promise<ChainVerdict> {
  const start = await findChainStart(store);
  const verdict: ChainVerdict = { ok: true, events: 0, first: null, last: null, brokenCount: 0, broken: [] };
  const tell = (broken: ChainBreak) => {
    verdict.ok = false;
    verdict.brokenCount += 1;
    if (verdict.broken.length < MAX_TOLD) verdict.broken.push(broken);
  };
  let awaited = digest && digest.sequence > (start?.through ?? 0) ? digest : null;
  let previous: { sequence: number | null; hash: string } = {
    sequence: null,
    hash: start?.hash ?? FIRST_PREVIOUS_HASH,
  };
  let page: AuditEvent[];
  do {
    page = await listAuditEvents(store, { after: verdict.last?.sequence ?? start?.through ?? 0, limit: PAGE_SIZE });
    for (const event of page) {
      for (const broken of breaksOf(event, previous, awaited)) tell(broken);
      if (event.sequence === awaited?.sequence) awaited = null;
      previous = event;
      verdict.first ??= event.sequence;
      verdict.last = { sequence: event.sequence, hash: event.hash };
    }
    verdict.events += page.length;
    onProgress?.(verdict.events);
  } while (page.length === PAGE_SIZE);
  if (awaited) tell({ kind: "missing", sequence: awaited.sequence, after: verdict.last?.sequence ?? null });
  return verdict;
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
