import type { Store } from "#app/db/store.server.ts";

const DEADLINE_MS = 8_000;

/**
 * Waits, in a transaction, until so many other connections wait for a row. On SQLite, where requests wait for the whole
 * transaction, it returns at once.
 */
export async function whenWaiting(tx: Store, count = 1): Promise<void> {
  if (tx.dialect === "sqlite") return;
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    // A transaction sees the activity as it was at its first look.
    await tx.execute("SELECT pg_stat_clear_snapshot()");
    const waiting = await tx.execute(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (waiting.length >= count) return;
  }
}
