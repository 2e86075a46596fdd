import { readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "#app/durations.ts";

/** End of a temporary name, with the suffix that SQLite may add. */
const SUFFIX = /\.(\d+)\.part(-\w+)?$/;

/** Returns the name of an incomplete file; host and pid show others whether its process has ended. */
export function temporaryName(file: string): string {
  return `${file}.${hostname()}.${process.pid}.part`;
}

/** Removes files with these prefixes whose process has ended: at once if it ran on this host, else after a day. */
export function removeTemporaryFiles(
  folder: string,
  { prefixes, now }: { prefixes: readonly string[]; now: Date },
): void {
  for (const name of readdirSync(folder)) {
    if (!/\.part(-\w+)?$/.test(name) || !prefixes.some((prefix) => name.startsWith(prefix))) continue;
    const path = join(folder, name);
    if (isOfEndedProcess(name) || isOld(path, now)) rmSync(path, { force: true });
  }
}

function isOfEndedProcess(name: string): boolean {
  const [suffix, digits] = SUFFIX.exec(name) ?? [];
  if (suffix === undefined || !name.slice(0, -suffix.length).endsWith(`.${hostname()}`)) return false;
  const pid = Number(digits);
  return pid !== process.pid && !isRunning(pid);
}

/** Returns true if the process exists (kill(2), signal 0). */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isOld(path: string, now: Date): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && now.getTime() - stats.mtimeMs > DAY_MS;
}
