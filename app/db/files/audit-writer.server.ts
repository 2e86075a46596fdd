import { AsyncResource } from "node:async_hooks";
import { listAuditEvents, listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { appendToAuditFile, auditFileSize, readAuditTail, trimAuditFile } from "./audit-file.server.ts";

/** Events that are written at once. */
const BATCH = 500;

/** So far back the start looks for events that a crash kept out of the file. */
const LOOK_BACK = 40;

/** Writes the audit trail down beside the database, where a restore does not reach. */
export type AuditFollower = {
  /** Writes what is missing in the file, however much that is. */
  catchUp(): Promise<void>;
  /** Writes what is still to be written, and ends. */
  end(): Promise<void>;
};

/**
 * Keeps `audit.jsonl` beside a SQLite file up to date: each event, once it is committed, becomes a line. A file that is
 * ahead of its database is therefore the sign of an older database. `onFailure` hears when the file cannot be written;
 * the next event tries again.
 */
export function followAudit(store: Store, file: string, onFailure: (error: unknown) => void): AuditFollower {
  // Events are added inside transactions; what is read here is read outside of them.
  const outside = new AsyncResource("audit follower");
  let cursor: number | null = null;
  let size = 0;
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  let isOver = false;

  async function look(): Promise<void> {
    try {
      await write();
    } catch (error) {
      onFailure(error);
    }
  }

  async function write(): Promise<void> {
    let events: AuditEvent[];
    do {
      const tail = readAuditTail(file, cursor === null ? undefined : size);
      const known = new Set(tail.map(({ hash }) => hash));
      cursor ??= await startOf(store, tail);
      events = await listAuditEvents(store, { after: cursor, limit: BATCH });
      appendToAuditFile(
        file,
        events.filter(({ hash }) => !known.has(hash)),
      );
      // The trail was cut off at its old end: what is not kept there is not kept here.
      const cut = events.findLast(({ type }) => type === "audit.trimmed")?.detail["hash"];
      if (typeof cut === "string") await trimAuditFile(file, cut);
      size = auditFileSize(file);
      cursor = events.at(-1)?.sequence ?? cursor;
    } while (events.length === BATCH);
  }

  function wake(): Promise<void> {
    if (looking !== null) {
      isAskedAgain = true;
      return looking;
    }
    looking = look().finally(() => {
      looking = null;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      return wake();
    });
    return looking;
  }

  store.onAudit(() => void setImmediate(() => isOver || outside.runInAsyncScope(wake)));
  return {
    catchUp: write,
    async end() {
      isOver = true;
      await looking;
      await wake();
    },
  };
}

/** The number after which events may be missing in a file that ends like this. */
async function startOf(store: Store, tail: readonly AuditEvent[]): Promise<number> {
  const last = tail.at(-1);
  if (last === undefined) return 0;
  const recent = await listLastAuditEvents(store, { upTo: last.sequence, limit: LOOK_BACK });
  const first = recent[0];
  // The tail holds more events than these: what it lacks of them is not in the file.
  return first === undefined ? 0 : first.sequence - 1;
}
