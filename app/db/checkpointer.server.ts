import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/** Takes what stands in the -wal of a SQLite file into the file, beside all other work. */
export type Checkpointer = {
  /** Ends when everything that was committed before is in the file, and the next writer begins the -wal anew. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Text, for the program is one file and the tests run from the source. PASSIVE: nobody waits for it, whoever reads or
 * writes; what they keep from it is done by the next one. A connection that commits nothing needs no pragma: a
 * checkpoint waits for the disk before and after it writes, also with the synchronous=NORMAL of this build.
 */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const Database = require(workerData.driver);
const database = new Database(workerData.file, { fileMustExist: true, timeout: 0 });
parentPort.on("message", (asked) => {
  if (asked === "checkpoint") return void parentPort.postMessage(database.pragma("wal_checkpoint(PASSIVE)"));
  database.close();
  parentPort.close();
});
`;

/** It holds a connection and two lines of code. */
const HEAP_MEGABYTES = 16;

/** A checkpointer of this file; its thread begins with the first checkpoint. */
export function createCheckpointer(file: string): Checkpointer {
  const driver = createRequire(import.meta.url).resolve("better-sqlite3");
  let worker: Worker | null = null;

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES };
    // Not what the program itself was started with: this is no second program.
    return new Worker(THREAD, { eval: true, execArgv: [], workerData: { driver, file }, resourceLimits });
  }

  return {
    async checkpoint() {
      worker ??= start();
      worker.postMessage("checkpoint");
      // Rejects when the thread fails.
      await once(worker, "message");
    },
    async close() {
      if (worker === null || worker.threadId === -1) return;
      const ended = once(worker, "exit");
      worker.postMessage("close");
      await ended;
    },
  };
}
