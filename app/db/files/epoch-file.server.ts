import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { companionFilesOf, writeAtomically } from "./companion-files.server.ts";

const schema = z.object({ epoch: z.int().min(1), raising: z.boolean(), auditIncomplete: z.literal(true).optional() });

/**
 * Content of `gatehouse.epoch`. `epoch`: the restore generation that the database beside it must have; an older
 * database has a lower one. `raising`: a change to this epoch was started and not finished. `auditIncomplete`: until then,
 * `audit.jsonl` may lack events of the database that was in service last.
 */
type EpochFile = z.infer<typeof schema>;

/** Reads the epoch file of this database; null if it is missing. Throws if it is damaged or not readable. */
export function readEpochFile(file: string): EpochFile | null {
  const { epoch } = companionFilesOf(file);
  const text = textOf(epoch);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${epoch} is damaged. Remove it; the next start then ends every session, as after a restore.`);
  }
}

/** Writes the epoch file durably. */
export function writeEpochFile(file: string, content: EpochFile): void {
  writeAtomically(companionFilesOf(file).epoch, `${JSON.stringify(content)}\n`);
}

/** Resets the epoch file to an earlier content; null removes it. */
export function restoreEpochFile(file: string, content: EpochFile | null): void {
  if (content === null) rmSync(companionFilesOf(file).epoch, { force: true });
  else if (JSON.stringify(content) !== JSON.stringify(readEpochFile(file))) writeEpochFile(file, content);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
