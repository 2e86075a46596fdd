import { setTimeout as sleep } from "node:timers/promises";
import type Database from "better-sqlite3";
import { createCheckpointer } from "./checkpointer.server.ts";
import type { BackgroundDriver, Statement } from "./driver.server.ts";
import type { SharedCommit } from "./shared-commit.server.ts";

/** Rows that change between two checkpoints: of a row some four pages, and SQLite's own limit is a thousand. */
const ROWS_BETWEEN_CHECKPOINTS = 200;

/** Pauses as long as the work leave the others half of the disk; a slow one needs no longer ones. */
const LONGEST_PAUSE_MS = 100;

type Background = {
  file: string;
  /** Opened as every connection of the server; this one's alone. */
  database: Database.Database;
  run(statement: Statement): unknown[];
  /** Of the connection that everybody else works with: the two take turns, or the busier one would never let the other in. */
  alone: SharedCommit["alone"];
  isUnique(error: unknown): boolean;
};

/**
 * A connection for long work that nobody waits for, and that may be lost with the power and done again: its statements
 * stand alone, and the event loop does not wait for the disk. Their commits do not wait (the next commit of somebody who
 * is answered does, for all before it), and what they leave in the -wal is taken into the file by a thread of its own,
 * while the work pauses. SQLite's own checkpoint would come with whoever commits then, and holds the process up for as
 * long as a thousand pages take to the disk.
 */
export function backgroundDriver({ file, database, run, alone, isUnique }: Background): BackgroundDriver {
  database.pragma("synchronous = NORMAL");
  database.pragma("wal_autocheckpoint = 0");
  const checkpointer = createCheckpointer(file);
  let changedRows = 0;
  let heldMs = 0;
  let beganAt: number | null = null;

  function hold(statement: Statement): unknown[] {
    const startedAt = performance.now();
    beganAt ??= startedAt;
    try {
      const rows = run(statement);
      changedRows += rows.length;
      return rows;
    } finally {
      heldMs = Math.max(heldMs, performance.now() - startedAt);
    }
  }

  return {
    dialect: "sqlite",
    run: (statement) => alone(() => hold(statement)),
    async begin() {
      throw new Error("in the background each statement stands alone");
    },
    confirmAtEnd: (work) => work(),
    isUnique,
    background() {
      throw new Error("this is the background already");
    },
    async settle() {
      if (changedRows >= ROWS_BETWEEN_CHECKPOINTS) {
        changedRows = 0;
        await checkpointer.checkpoint();
      }
      const now = performance.now();
      await sleep(Math.min(now - (beganAt ?? now), LONGEST_PAUSE_MS));
      const held = heldMs;
      heldMs = 0;
      beganAt = null;
      return held;
    },
    async close() {
      await checkpointer.close();
      database.close();
    },
  };
}
