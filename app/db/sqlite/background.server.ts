import { setTimeout as sleep } from "node:timers/promises";
import type { BackgroundDriver, Statement } from "#app/db/driver.server.ts";
import { createBackgroundThread } from "./background-thread.server.ts";
import type { GroupCommit } from "./group-commit.server.ts";

/** Rows that change between two checkpoints: of a row some four pages, and SQLite's own limit is a thousand. */
const ROWS_BETWEEN_CHECKPOINTS = 200;

/** Pauses as long as the work leave the others half of the disk; a slow one needs no longer ones. */
const LONGEST_PAUSE_MS = 100;

/** Its commits do not wait for the disk, and its checkpoints come when it pauses, not with somebody's commit. */
const PRAGMAS = ["synchronous = NORMAL", "wal_autocheckpoint = 0"];

type Background = {
  file: string;
  /** What every connection of the server is given. */
  pragmas: readonly string[];
  /** Of the connection that everybody else works with: the two take turns, or the busier one would never let the other in. */
  alone: GroupCommit["alone"];
  isUnique(error: unknown): boolean;
  requireSameFile(): void;
};

/**
 * A connection, in a thread of its own, for long work that nobody waits for, and that may be lost with the power and done
 * again: its statements stand alone, and the event loop waits neither for them nor for the disk. Their commits do not wait
 * (the next commit of somebody who is answered does, for all before it), and what they leave in the -wal is taken into the
 * file while the work pauses. SQLite's own checkpoint would come with whoever commits then, and holds the process up for as
 * long as a thousand pages take to the disk.
 */
export function backgroundDriver({ file, pragmas, alone, isUnique, requireSameFile }: Background): BackgroundDriver {
  const thread = createBackgroundThread(file, [...pragmas, ...PRAGMAS]);
  let changedRows = 0;
  let longestMs = 0;
  let beganAt: number | null = null;

  async function run(statement: Statement): Promise<unknown[]> {
    beganAt ??= performance.now();
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
      await sleep(Math.min(now - (beganAt ?? now), LONGEST_PAUSE_MS));
      const heldMs = longestMs;
      longestMs = 0;
      beganAt = null;
      return heldMs;
    },
    close: thread.close,
  };
}
