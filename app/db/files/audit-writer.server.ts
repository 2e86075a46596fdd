import { AsyncResource } from "node:async_hooks";
import { listLastAuditEvents, listNewAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { appendToAuditFile, auditFileSize, readAuditTail, trimAuditFile } from "./audit-file.server.ts";

/** Events that are read and written at once. */
const BATCH = 500;

/** Recent events that are checked at start, because a crash may have kept them out of the file. */
const RECENT_EVENTS = 40;

/** Writes the audit trail to a file beside the database, which a restore does not replace. */
type AuditFollower = {
  /** Writes all events that are missing in the file. */
  catchUp(): Promise<void>;
  /** Writes the remaining events and stops. */
  end(): Promise<void>;
};

/**
 * Appends each event to `audit.jsonl` beside a SQLite file once it is committed. An event that is only in the file
 * therefore reveals a restored database. `onFailure` is called when the file cannot be written; the next event retries.
 */
export function followAudit(store: Store, file: string, onFailure: (error: unknown) => void): AuditFollower {
  // Events are added inside transactions, but must be read outside of them.
  const asyncResource = new AsyncResource("audit follower");
  let cursor: number | null = null;
  let size = 0;
  let running: Promise<void> | null = null;
  let isWriteRequested = false;
  let isEnded = false;

  async function writeOrReport(): Promise<void> {
    try {
      await writeMissing();
    } catch (error) {
      onFailure(error);
    }
  }

  async function writeMissing(): Promise<void> {
    let events: AuditEvent[];
    do {
      const tail = readAuditTail(file, cursor === null ? undefined : size);
      const knownHashes = new Set(tail.map(({ hash }) => hash));
      cursor ??= await findStart(store, tail);
      events = await listNewAuditEvents(store, { after: cursor, limit: BATCH });
      appendToAuditFile(
        file,
        events.filter(({ hash }) => !knownHashes.has(hash)),
      );
      // The oldest events were deleted in the database; delete them here too.
      const trimmedHash = events.findLast(({ type }) => type === "audit.trimmed")?.detail["hash"];
      if (typeof trimmedHash === "string") await trimAuditFile(file, trimmedHash);
      size = auditFileSize(file);
      cursor = events.at(-1)?.sequence ?? cursor;
    } while (events.length === BATCH);
  }

  function wake(): Promise<void> {
    if (running !== null) {
      isWriteRequested = true;
      return running;
    }
    running = writeOrReport().finally(() => {
      running = null;
      if (!isWriteRequested) return;
      isWriteRequested = false;
      return wake();
    });
    return running;
  }

  store.events.on("audit event", () => void setImmediate(() => isEnded || asyncResource.runInAsyncScope(wake)));
  return {
    catchUp: writeMissing,
    async end() {
      isEnded = true;
      await running;
      await wake();
    },
  };
}

/** Returns the sequence number after which events may be missing in a file with this tail. */
async function findStart(store: Store, tail: readonly AuditEvent[]): Promise<number> {
  const last = tail.at(-1);
  if (last === undefined) return 0;
  const recent = await listLastAuditEvents(store, { upTo: last.sequence, limit: RECENT_EVENTS });
  const first = recent[0];
  // The tail holds more events than `recent`; those of `recent` that it lacks are not in the file.
  return first === undefined ? 0 : first.sequence - 1;
}
