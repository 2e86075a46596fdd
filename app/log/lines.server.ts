import { pino } from "pino";

/** Destination of the log lines, as pino requires it. */
type LogLines = { write(line: string): void };

/** Limit of the lines that wait while nothing can be written; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Writes each line to an open file at once. A full disk or a closed pipe only costs lines: the server continues, and the
 * next line that can be written is followed by the number of lost lines. After a closed pipe pino writes nothing more.
 */
export function createLogLines(fd: number): LogLines {
  const lines = pino.destination({
    dest: fd,
    sync: true,
    // `flush` does nothing without a minimum.
    minLength: 1,
    maxLength: MAX_WAITING_BYTES,
    // The default waits for a full pipe, and with it every request.
    retryEAGAIN: () => false,
  });
  let lost = 0;

  // Lines that could not be written wait for the next one. If too many wait, it is dropped, and only `flush` tries again.
  lines.on("error", () => {});
  lines.on("drop", () => {
    lost += 1;
    lines.flush();
  });
  lines.on("drain", () => {
    if (lost === 0) return;
    const line = lostLinesWarning(lost);
    lost = 0;
    lines.write(line);
  });
  return lines;
}

/** Formats a line of level "warn" as pino does. */
function lostLinesWarning(lost: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), lost, msg: "lines of the log were lost" })}\n`;
}
