import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AuditEvent, AuditOutcome, JsonObject } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/durations.ts";
import { companionFilesOf } from "./companion-files.server.ts";
import { createFile, openOrCreate } from "./new-file.server.ts";

/** Bytes that are read from the end of the file: about a hundred events. */
const TAIL_BYTES = 64 * 1024;

const WEEK_MS = 7 * DAY_MS;

const NEW_LINE = 0x0a;

const lineSchema = z.object({
  sequence: z.int(),
  at: z.coerce.date(),
  type: z.string(),
  userId: z.string().nullable(),
  clientId: z.string().nullable(),
  address: z.string().nullable(),
  requestId: z.string().nullable(),
  // Versions before 0.4 recorded no actor.
  actorId: z.string().nullable().default(null),
  outcome: z.custom<AuditOutcome>((value) => value === "ok" || value === "refused" || value === "failed"),
  detail: z.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  previousHash: z.string(),
  hash: z.string(),
});

/** Returns the size of the audit file beside this database in bytes; 0 if it is missing. */
export function auditFileSize(file: string): number {
  const { audit } = companionFilesOf(file);
  return existsSync(audit) ? statSync(audit).size : 0;
}

/** Appends events to the audit file, one line of JSON each. A line that a crash truncated stays a line of its own. */
export function appendToAuditFile(file: string, events: readonly AuditEvent[]): void {
  if (events.length === 0) return;
  const { audit } = companionFilesOf(file);
  const handle = openOrCreate(audit);
  try {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    appendFileSync(handle, endsWithinLine(handle) ? `\n${lines}` : lines);
  } finally {
    closeSync(handle);
  }
}

/** Returns the complete events in the last 64 KiB of the file, from byte `from` if given, in file order. */
export function readAuditTail(file: string, from?: number): AuditEvent[] {
  return readTail(companionFilesOf(file).audit, from);
}

/** Returns the last complete event of an audit file or a copy of one; null if there is none. */
export function readLastEvent(path: string): AuditEvent | null {
  return readTail(path).at(-1) ?? null;
}

function readTail(path: string, from?: number): AuditEvent[] {
  if (!existsSync(path)) return [];
  const handle = openSync(path, "r");
  try {
    const { size } = fstatSync(handle);
    const start = Math.max(Math.min(from ?? 0, size), size - TAIL_BYTES, 0);
    const bytes = Buffer.alloc(size - start);
    readSync(handle, bytes, 0, bytes.length, start);
    return bytes.toString("utf8").split("\n").flatMap(eventsOf);
  } finally {
    closeSync(handle);
  }
}

/**
 * Removes the event with this hash, those before it and all older ones, if one is more than a week older. The file
 * is rewritten for that: lines that another process appends meanwhile are lost, and added again by its next writer.
 */
export async function trimAuditFile(file: string, hash: string): Promise<void> {
  const { audit } = companionFilesOf(file);
  const cutoff = await findCutoff(file, hash);
  if (cutoff === null) return;
  const temporaryFile = `${audit}.part`;
  rmSync(temporaryFile, { force: true });
  const handle = createFile(temporaryFile);
  try {
    let isAfter = false;
    for await (const event of readAuditFile(file)) {
      if (isAfter && event.at > cutoff) appendFileSync(handle, `${JSON.stringify(event)}\n`);
      isAfter ||= event.hash === hash;
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporaryFile, audit);
}

async function findCutoff(file: string, hash: string): Promise<Date | null> {
  let oldest: Date | null = null;
  for await (const event of readAuditFile(file)) {
    // The first event is not the oldest one if a clock was ahead.
    if (oldest === null || event.at < oldest) oldest = event.at;
    if (event.hash === hash) return event.at.getTime() - oldest.getTime() > WEEK_MS ? event.at : null;
  }
  return null;
}

/** Yields every complete event of the audit file beside this database, oldest first. */
export function readAuditFile(file: string): AsyncGenerator<AuditEvent> {
  return readEvents(companionFilesOf(file).audit);
}

/** Yields every complete event of an audit file or a copy of one, oldest first; none if it is missing. */
export async function* readEvents(path: string): AsyncGenerator<AuditEvent> {
  if (!existsSync(path)) return;
  for await (const line of createInterface({ input: createReadStream(path, "utf8") })) yield* eventsOf(line);
}

function endsWithinLine(handle: number): boolean {
  const { size } = fstatSync(handle);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(handle, last, 0, 1, size - 1);
  return last[0] !== NEW_LINE;
}

function eventsOf(line: string): AuditEvent[] {
  if (line === "") return [];
  try {
    return [lineSchema.parse(JSON.parse(line))];
  } catch {
    // A partial line: the tail starts inside it, or a crash truncated it.
    return [];
  }
}
