import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";
import type { Statement } from "#app/db/driver.server.ts";

/** A connection to a SQLite file in a thread of its own, so that nothing else waits for its disk. */
export type BackgroundThread = {
  /** Runs one statement, waiting while another process writes; answers its rows, and how long it took, in milliseconds. */
  run(statement: Statement): Promise<{ rows: unknown[]; ms: number }>;
  /** Ends when everything that was committed before is in the file, and the next writer begins the -wal anew. */
  checkpoint(): Promise<void>;
  /** What was asked before is answered; whoever asks later is refused. */
  close(): Promise<void>;
};

/**
 * Text, for the program is one file and the tests run from the source. The checkpoint is PASSIVE: nobody waits for it,
 * whoever reads or writes; what they keep from it is done by the next one. It waits for the disk before and after it
 * writes, also with synchronous=NORMAL.
 */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const Database = require(workerData.driver);
const database = new Database(workerData.file, { fileMustExist: true, timeout: workerData.busyTimeoutMs });
for (const pragma of workerData.pragmas) database.pragma(pragma);
const known = new Map();
function prepare(sql) {
  if (!known.has(sql)) known.set(sql, database.prepare(sql));
  return known.get(sql);
}
function run({ sql, params, shape }) {
  const prepared = prepare(sql);
  return prepared.reader ? prepared.raw(shape === "arrays").all(...params) : void prepared.run(...params);
}
parentPort.on("message", (statement) => {
  const startedAt = performance.now();
  try {
    const rows = statement ? run(statement) : database.pragma("wal_checkpoint(PASSIVE)");
    parentPort.postMessage({ rows: rows ?? [], ms: performance.now() - startedAt });
  } catch ({ message, code }) {
    parentPort.postMessage({ failure: { message, code: String(code) } });
  }
});
`;

const answer = z.union([
  z.object({ rows: z.array(z.unknown()), ms: z.number() }),
  z.object({ failure: z.object({ message: z.string(), code: z.string() }) }),
]);

/** It holds a connection and a few lines of code. */
const HEAP_MEGABYTES = 16;

/** Nothing else waits while this thread waits for another process. */
const BUSY_TIMEOUT_MS = 5000;

/** A thread with a connection to this file, which gets these pragmas; it begins with the first question. */
export function createBackgroundThread(file: string, pragmas: readonly string[]): BackgroundThread {
  let worker: Worker | null = null;
  let isClosed = false;
  // One question after the other: the answers bear no names.
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const driver = createRequire(import.meta.url).resolve("better-sqlite3");
    const workerData = { driver, file, pragmas, busyTimeoutMs: BUSY_TIMEOUT_MS };
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES };
    // Not what the program itself was started with: this is no second program.
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData, resourceLimits });
    // Who waits for an answer is told by `once`; whoever comes later must not wait for a thread that is gone.
    thread.on("error", () => {
      isClosed = true;
    });
    return thread;
  }

  function ask(statement: Statement | null) {
    if (isClosed) return Promise.reject(new Error("this background is over"));
    const answered = last.then(() => send(statement));
    last = answered.catch(() => {});
    return answered;
  }

  async function send(statement: Statement | null) {
    worker ??= start();
    worker.postMessage(statement);
    // Rejects when the thread fails.
    const [message] = await once(worker, "message");
    const told = answer.parse(message);
    if ("failure" in told) throw new Database.SqliteError(told.failure.message, told.failure.code);
    return told;
  }

  return {
    run: ask,
    checkpoint: () => ask(null).then(() => {}),
    async close() {
      isClosed = true;
      await last;
      await worker?.terminate();
    },
  };
}
