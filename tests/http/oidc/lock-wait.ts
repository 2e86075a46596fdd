import type { Store } from "#app/db/store.server.ts";

const DEADLINE_MS = 8_000;

/**
 * Waits, within a transaction, until `count` other connections wait for a lock. Returns at once on SQLite, where
 * requests wait for the whole transaction.
 */
export async function whenWaiting(tx: Store, count = 1): Promise<void> {
  if (tx.dialect === "sqlite") return;
  const deadline = performance.now() + DEADLINE_MS;
  while (performance.now() < deadline) {
    // A transaction caches its first snapshot of the activity.
    await tx.execute("SELECT pg_stat_clear_snapshot()");
    const waiting = await tx.execute(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (waiting.length >= count) return;
  }
}
