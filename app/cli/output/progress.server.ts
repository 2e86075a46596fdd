import type { Streams } from "./streams.server.ts";

/** How far long work is. `total` null: nobody knows beforehand. */
export type Progress = { at(done: number): void; end(): void };

const BAR_WIDTH = 20;
const REDRAW_MS = 100;

/**
 * Tells on standard error how far long work is: one line that is drawn again on a terminal, one line per 10 %
 * elsewhere. Work that is done in a moment says nothing.
 */
export function createProgress(streams: Streams, { what, total }: { what: string; total: number }): Progress {
  return streams.stderr.isTTY === true ? onTerminal(streams, what, total) : inLines(streams, what, total);
}

function onTerminal({ stderr }: Streams, what: string, total: number): Progress {
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

/** Fewer than that are done before anybody wonders. */
const WORTH_TELLING = 1000;

function inLines({ stderr }: Streams, what: string, total: number): Progress {
  let told = 0;
  return {
    at(done) {
      const tenths = Math.floor((done * 10) / Math.max(total, 1));
      if (total < WORTH_TELLING || tenths <= told) return;
      told = tenths;
      stderr.write(`${what}: ${tenths * 10} % (${done} of ${total})\n`);
    },
    end() {},
  };
}
