import type { Streams } from "./output.server.ts";

/** Shows the progress of long work. */
type Progress = { at(done: number): void; end(): void };

const BAR_WIDTH = 20;
const REDRAW_MS = 100;
/** Without a terminal, work with fewer steps prints no progress. */
const MIN_STEPS_FOR_LINES = 1000;

/**
 * Prints progress on standard error: a line that is redrawn on a terminal, otherwise one line per 10 %. Short work prints
 * nothing.
 */
export function createProgress(streams: Streams, { what, total }: { what: string; total: number }): Progress {
  return streams.stderr.isTTY === true ? progressBar(streams, what, total) : progressLines(streams, what, total);
}

function progressBar({ stderr }: Streams, what: string, total: number): Progress {
  const startedAt = performance.now();
  let drawnAt = startedAt;
  let isDrawn = false;
  return {
    at(done) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      isDrawn = true;
      stderr.write(`\r\u001b[K${what} ${bar(done, total)} ${done}/${total} ${speed(done, total, now - startedAt)}`);
    },
    end() {
      if (isDrawn) stderr.write("\r\u001b[K");
    },
  };
}

function bar(done: number, total: number): string {
  const filled = Math.round((BAR_WIDTH * Math.min(done, total)) / Math.max(total, 1));
  return `[${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}]`;
}

function speed(done: number, total: number, elapsedMs: number): string {
  const perSecond = (done * 1000) / Math.max(elapsedMs, 1);
  const left = perSecond > 0 ? `, ${Math.ceil((total - done) / perSecond)} s left` : "";
  return `(${perSecond.toFixed(0)}/s${left})`;
}

function progressLines({ stderr }: Streams, what: string, total: number): Progress {
  let printedTenths = 0;
  return {
    at(done) {
      const tenths = Math.floor((done * 10) / Math.max(total, 1));
      if (total < MIN_STEPS_FOR_LINES || tenths <= printedTenths) return;
      printedTenths = tenths;
      stderr.write(`${what}: ${tenths * 10} % (${done} of ${total})\n`);
    },
    end() {},
  };
}
