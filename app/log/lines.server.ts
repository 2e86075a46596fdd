import { write as writeAsync, writeSync } from "node:fs";

/** Where the log's lines go; what pino asks of a destination. */
export type LogLines = { write(line: string): void };

/** A write per line cost as much as the line itself; so many lines go out in one, this late at most. */
const BUFFER_CHARACTERS = 4096;
const FLUSH_MS = 100;

/** What is kept while nothing can be written; more is lost, and said to be. */
const MOST_CHARACTERS = 1024 * 1024;

/** How long to wait after a write that failed; a pipe that is only full is soon read. */
const RETRY_MS = 1000;
const FULL_PIPE_MS = 20;

/**
 * Writes lines to an open file in the background, many at once, and what is left when the process ends. A disk that is
 * full, or a reader that is gone, costs lines and nothing else: the server goes on, and the log with it as soon as it can.
 */
export function createLogLines(fd: number): LogLines {
  let waiting = "";
  let lost = 0;
  let leaving: Buffer | null = null;
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
    if (leaving !== null || waiting === "") return;
    leaving = Buffer.from(takeWaiting());
    writeOut(leaving);
  }

  function takeWaiting(): string {
    const lines = lost === 0 ? waiting : `${waiting}${lineOfLoss(lost)}`;
    waiting = "";
    lost = 0;
    return lines;
  }

  function writeOut(bytes: Buffer): void {
    writeAsync(fd, bytes, (error, written) => {
      hasFailed = error !== null;
      if (error !== null) return void setTimeout(() => writeOut(bytes), waitAfter(error)).unref();
      leaving = bytes.subarray(written);
      if (leaving.length > 0) return writeOut(leaving);
      leaving = null;
      if (waiting !== "") schedule(FLUSH_MS);
    });
  }

  process.on("exit", () => {
    try {
      // What is being written now gets there by itself, and would stand there twice.
      const left = hasFailed && leaving !== null ? leaving : Buffer.alloc(0);
      writeSync(fd, Buffer.concat([left, Buffer.from(takeWaiting())]));
    } catch {
      // Nobody is left to be told.
    }
  });

  return {
    write(line) {
      if (waiting.length + line.length > MOST_CHARACTERS) {
        lost += 1;
        return;
      }
      waiting += line;
      if (waiting.length >= BUFFER_CHARACTERS) flush();
      else schedule(FLUSH_MS);
    },
  };
}

function waitAfter({ code }: NodeJS.ErrnoException): number {
  return code === "EAGAIN" ? FULL_PIPE_MS : RETRY_MS;
}

/** Of level "warn", as pino would write it. */
function lineOfLoss(lost: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), lost, msg: "lines of the log were lost" })}\n`;
}
