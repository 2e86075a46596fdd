import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { z } from "zod";
import type { Statement } from "#app/db/driver.server.ts";

/** A connection to a SQLite file in a worker thread, so that the event loop does not wait for the disk. */
export type BackgroundThread = {
  /**
   * Runs one statement, waiting while another process writes. Resolves with its rows and its duration in milliseconds.
   */
  run(statement: Statement): Promise<{ rows: unknown[]; ms: number }>;
  /** Copies committed pages from the WAL into the database file, so that the next writer can restart the WAL. */
  checkpoint(): Promise<void>;
  /** Resolves when all pending statements have finished; later calls reject. */
  close(): Promise<void>;
};

/**
 * Source text of the worker, because the build is one file and the tests run from source. The checkpoint is PASSIVE: it
 * blocks neither readers nor writers, and pages that they hold are left to the next one. It syncs the disk before and
 * after it writes, also with synchronous=NORMAL.
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

const replySchema = z.union([
  z.object({ rows: z.array(z.unknown()), ms: z.number() }),
  z.object({ failure: z.object({ message: z.string(), code: z.string() }) }),
]);

/** The worker has one connection and a few lines of code. */
const HEAP_MEGABYTES = 16;

/** Only this thread waits. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Creates a thread with a connection to the file that is set up with these pragmas; it starts with the first statement.
 */
export function createBackgroundThread(file: string, pragmas: readonly string[]): BackgroundThread {
  let worker: Worker | null = null;
  let isClosed = false;
  // Statements run one after the other, because the replies have no ids.
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const driver = createRequire(import.meta.url).resolve("better-sqlite3");
    const workerData = { driver, file, pragmas, busyTimeoutMs: BUSY_TIMEOUT_MS };
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES };
    // Without the Node options of the main process.
    const thread = new Worker(PROGRAM, { eval: true, execArgv: [], workerData, resourceLimits });
    // `once` rejects the pending call; later calls must not wait for a terminated thread.
    thread.on("error", () => {
      isClosed = true;
    });
    return thread;
  }

  function enqueue(statement: Statement | null) {
    if (isClosed) return Promise.reject(new Error("this background is over"));
    const reply = last.then(() => send(statement));
    last = reply.catch(() => {});
    return reply;
  }

  async function send(statement: Statement | null) {
    worker ??= start();
    worker.postMessage(statement);
    // Rejects when the thread fails.
    const [message] = await once(worker, "message");
    const parsed = replySchema.parse(message);
    if ("failure" in parsed) throw new Database.SqliteError(parsed.failure.message, parsed.failure.code);
    return parsed;
  }

  return {
    run: enqueue,
    checkpoint: () => enqueue(null).then(() => {}),
    async close() {
      isClosed = true;
      await last;
      await worker?.terminate();
    },
  };
}
