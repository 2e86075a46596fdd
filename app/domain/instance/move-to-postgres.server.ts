import type { Store } from "#app/db/store.server.ts";
import { countAllRows, type RowCounts, transferRows } from "#app/db/transfer.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type ChainVerification, verifyAuditChain } from "#app/domain/audit-trail/verify.server.ts";

/** Result of a copy: rows by table, and the verification of the copied audit trail. */
export type MoveResult = { tables: RowCounts; rows: number; audit: Pick<ChainVerification, "ok" | "events" | "last"> };

/** Counts the rows to copy. */
export async function countRows({ store }: { store: Store }): Promise<number> {
  return sum(await countAllRows(store));
}

/**
 * Copies the whole database into an empty one of the same schema, in one transaction there. Compares row counts and
 * audit trail before the commit; rolls back and throws an Error if they differ. Blocks writes to the source meanwhile.
 * Appends the event `instance.moved` to the copied trail.
 */
export async function copyInto(
  context: AuditDeps,
  target: Store,
  { onProgress }: { onProgress: (done: number) => void },
): Promise<MoveResult> {
  return context.store.tx((source) =>
    target.tx(async (copy) => {
      await transferRows(source, copy, { onProgress });
      const [copied, original] = [await countAllRows(copy), await countAllRows(source)];
      const missing = Object.keys(original).filter((name) => original[name] !== copied[name]);
      if (missing.length > 0) throw new Error(`the row counts of the copy differ in ${missing.join(", ")}`);
      const audit = await verifySameTrail(source, copy);
      const reason = "SQLite file -> PostgreSQL";
      await recordEvent({ ...context, store: copy }, { type: "instance.moved", outcome: "ok", reason });
      return { tables: copied, rows: sum(copied), audit };
    }),
  );
}

/** Throws if the verification of the two trails differs. A trail that was already broken is copied as it is. */
async function verifySameTrail(source: Store, copy: Store): Promise<MoveResult["audit"]> {
  const [original, copied] = [await verifyAuditChain({ store: source }), await verifyAuditChain({ store: copy })];
  if (JSON.stringify(original) !== JSON.stringify(copied)) {
    throw new Error("the audit trail of the copy differs from the original");
  }
  return { ok: copied.ok, events: copied.events, last: copied.last };
}

function sum(counts: RowCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
