import { readdirSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What ends a name here, and what SQLite adds to it. */
const ENDING = /\.(\d+)\.part(-\w+)?$/;

/** The name of a file until it is whole. Whose it is stands in it, so that others know when it is nobody's any more. */
export function temporaryName(file: string): string {
  return `${file}.${hostname()}.${process.pid}.part`;
}

/**
 * Removes the unfinished files in a folder whose names begin like this and whose process is gone: at once where it ran
 * on this machine, after a day where nobody can know.
 */
export function removeTemporaryFiles(folder: string, { begins, now }: { begins: readonly string[]; now: Date }): void {
  for (const name of readdirSync(folder)) {
    if (!/\.part(-\w+)?$/.test(name) || !begins.some((begin) => name.startsWith(begin))) continue;
    const path = join(folder, name);
    if (isOfEndedProcess(name) || isOld(path, now)) rmSync(path, { force: true });
  }
}

function isOfEndedProcess(name: string): boolean {
  const [ending, number] = ENDING.exec(name) ?? [];
  if (ending === undefined || !name.slice(0, -ending.length).endsWith(`.${hostname()}`)) return false;
  const pid = Number(number);
  return pid !== process.pid && !runs(pid);
}

/** Signal 0 only asks whether there is such a process (kill(2)). */
function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process may not be asked, but is there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function isOld(path: string, now: Date): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && now.getTime() - found.mtimeMs > DAY_MS;
}
