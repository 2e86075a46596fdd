import type { Store } from "#app/db/store.server.ts";
import { countAllRows, type RowCounts, transferRows } from "#app/db/transfer.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type ChainVerdict, verifyAuditChain } from "#app/domain/audit/verify.server.ts";

/** Result of a copy: rows by table, and the verification of the copied audit trail. */
export type Moved = { tables: RowCounts; rows: number; audit: Pick<ChainVerdict, "ok" | "events" | "last"> };

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
): Promise<Moved> {
  return context.store.tx((source) =>
    target.tx(async (copy) => {
      await transferRows(source, copy, { onProgress });
      const [there, here] = [await countAllRows(copy), await countAllRows(source)];
      const missing = Object.keys(here).filter((name) => here[name] !== there[name]);
      if (missing.length > 0) throw new Error(`the copy has other numbers of rows in ${missing.join(", ")}`);
      const audit = await verifySame(source, copy);
      const reason = "SQLite file -> PostgreSQL";
      await recordEvent({ ...context, store: copy }, { type: "instance.moved", outcome: "ok", reason });
      return { tables: there, rows: sum(there), audit };
    }),
  );
}

/** Throws if the verification of the two trails differs. A trail that was already broken is copied as it is. */
async function verifySame(source: Store, copy: Store): Promise<Moved["audit"]> {
  const [here, there] = [await verifyAuditChain({ store: source }), await verifyAuditChain({ store: copy })];
  if (JSON.stringify(here) !== JSON.stringify(there)) throw new Error("the audit trail did not arrive as it was");
  return { ok: there.ok, events: there.events, last: there.last };
}

function sum(counts: RowCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
