import { setTimeout as sleep } from "node:timers/promises";
import type { BackgroundDriver, Statement } from "#app/db/driver.server.ts";
import { createBackgroundThread } from "./background-thread.server.ts";
import type { GroupCommit } from "./group-commit.server.ts";

/** Changed rows between two checkpoints. A row changes about four pages; SQLite's own limit is a thousand pages. */
const ROWS_BETWEEN_CHECKPOINTS = 200;

/** Upper limit of a pause. A pause lasts as long as the work before it, which leaves half of the disk to others. */
const LONGEST_PAUSE_MS = 100;

/** Commits do not wait for the disk; checkpoints run in pauses, not as part of a commit. */
const PRAGMAS = ["synchronous = NORMAL", "wal_autocheckpoint = 0"];

type Background = {
  file: string;
  /** The pragmas of every connection of the server. */
  pragmas: readonly string[];
  /** `alone` of the main connection: its mutex keeps the busier of the two connections from starving the other. */
  alone: GroupCommit["alone"];
  isUnique(error: unknown): boolean;
  requireSameFile(): void;
};

/**
 * Creates a driver for long work that may be lost in a power failure and be repeated. It uses single statements on a
 * connection in a worker thread, so the event loop waits neither for them nor for the disk. Its commits are not synced
 * (the next commit of the main connection syncs them too), and the WAL is checkpointed in pauses: SQLite's automatic
 * checkpoint would run in a commit of the main connection and block the process while a thousand pages are written.
 */
export function backgroundDriver({ file, pragmas, alone, isUnique, requireSameFile }: Background): BackgroundDriver {
  const thread = createBackgroundThread(file, [...pragmas, ...PRAGMAS]);
  let changedRows = 0;
  let longestMs = 0;
  let startedAt: number | null = null;

  async function run(statement: Statement): Promise<unknown[]> {
    startedAt ??= performance.now();
    const { rows, ms } = await thread.run(statement);
    changedRows += rows.length;
    longestMs = Math.max(longestMs, ms);
    return rows;
  }

  return {
    dialect: "sqlite",
    run: (statement) => alone(() => run(statement)),
    async begin() {
      throw new Error("in the background each statement stands alone");
    },
    withDeferredDurability: (work) => work(),
    isUnique,
    requireSameFile,
    background() {
      throw new Error("this is the background already");
    },
    async settle() {
      if (changedRows >= ROWS_BETWEEN_CHECKPOINTS) {
        changedRows = 0;
        await thread.checkpoint();
      }
      const now = performance.now();
      await sleep(Math.min(now - (startedAt ?? now), LONGEST_PAUSE_MS));
      const heldMs = longestMs;
      longestMs = 0;
      startedAt = null;
      return heldMs;
    },
    close: thread.close,
  };
}
