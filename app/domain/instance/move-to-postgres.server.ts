import type { Store } from "#app/db/store.server.ts";
import { countAllRows, type RowCounts, transferRows } from "#app/db/transfer.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { type ChainVerdict, verifyAuditChain } from "#app/domain/audit/verify.server.ts";

/** What was copied: rows by table, and what the verification of the audit trail said at its new place. */
export type Moved = { tables: RowCounts; rows: number; audit: Pick<ChainVerdict, "ok" | "events" | "last"> };

/** How many rows a copy has to carry. */
export async function countRows({ store }: { store: Store }): Promise<number> {
  return sum(await countAllRows(store));
}

/**
 * Copies the whole database into an empty one of the same schema, in one transaction there: counts and audit trail are
 * compared before it ends, and where anything differs nothing is kept and an Error is thrown. Nobody writes to the source
 * meanwhile. The move itself is the first event of the trail at the new place.
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

/** A trail that was broken before is copied as it is; one that the copy broke is an error. */
async function verifySame(source: Store, copy: Store): Promise<Moved["audit"]> {
  const [here, there] = [await verifyAuditChain({ store: source }), await verifyAuditChain({ store: copy })];
  if (JSON.stringify(here) !== JSON.stringify(there)) throw new Error("the audit trail did not arrive as it was");
  return { ok: there.ok, events: there.events, last: there.last };
}

function sum(counts: RowCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
