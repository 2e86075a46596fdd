import { write as writeAsync, writeSync } from "node:fs";

/** Destination of the log lines, as pino requires it. */
export type LogLines = { write(line: string): void };

/** Lines are written together at this size or after this time: one write per line would double the cost of a line. */
const BUFFER_CHARACTERS = 4096;
const FLUSH_MS = 100;

/** Limit of the buffer while nothing can be written; further lines are dropped and counted. */
const MAX_BUFFER_CHARACTERS = 1024 * 1024;

/** Delay before a failed write is retried; shorter for a full pipe. */
const RETRY_MS = 1000;
const FULL_PIPE_MS = 20;

/**
 * Writes lines to an open file asynchronously, many at once, and the rest when the process exits. A full disk or a
 * closed pipe only costs lines: the server continues, and logging resumes as soon as possible.
 */
export function createLogLines(fd: number): LogLines {
  let waiting = "";
  let lost = 0;
  let pendingWrite: Buffer | null = null;
  let hasFailed = false;
  let timer: NodeJS.Timeout | null = null;

  function schedule(afterMs: number): void {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      flush();
    }, afterMs).unref();
  }

  function flush(): void {
    if (pendingWrite !== null || waiting === "") return;
    pendingWrite = Buffer.from(takeWaiting());
    writeOut(pendingWrite);
  }

  function takeWaiting(): string {
    const lines = lost === 0 ? waiting : `${waiting}${lostLinesWarning(lost)}`;
    waiting = "";
    lost = 0;
    return lines;
  }

  function writeOut(bytes: Buffer): void {
    writeAsync(fd, bytes, (error, written) => {
      hasFailed = error !== null;
      if (error !== null) return void setTimeout(() => writeOut(bytes), retryDelayMs(error)).unref();
      pendingWrite = bytes.subarray(written);
      if (pendingWrite.length > 0) return writeOut(pendingWrite);
      pendingWrite = null;
      if (waiting !== "") schedule(FLUSH_MS);
    });
  }

  process.on("exit", () => {
    try {
      // A write in progress completes by itself and must not be repeated.
      const remaining = hasFailed && pendingWrite !== null ? pendingWrite : Buffer.alloc(0);
      writeSync(fd, Buffer.concat([remaining, Buffer.from(takeWaiting())]));
    } catch {
      // The error cannot be reported any more.
    }
  });

  return {
    write(line) {
      if (waiting.length + line.length > MAX_BUFFER_CHARACTERS) {
        lost += 1;
        return;
      }
      waiting += line;
      if (waiting.length >= BUFFER_CHARACTERS) flush();
      else schedule(FLUSH_MS);
    },
  };
}

function retryDelayMs({ code }: NodeJS.ErrnoException): number {
  return code === "EAGAIN" ? FULL_PIPE_MS : RETRY_MS;
}

/** Formats a line of level "warn" as pino does. */
function lostLinesWarning(lost: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), lost, msg: "lines of the log were lost" })}\n`;
}
