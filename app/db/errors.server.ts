import { causesOf } from "./driver.server.ts";

/** Reasons why a database cannot be used; only "replaced" can occur after the first query. */
export type StoreErrorCode =
  | "second server"
  | "not writable"
  | "database newer"
  | "stale wal"
  | "swapped"
  | "replaced"
  | "no backup";

/** Thrown when the database cannot be used; the message is written for the administrator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = "StoreError";
    this.code = code;
  }
}

/** Lock timeouts: PostgreSQL's 55P03 (appendix A of its manual) and SQLite's SQLITE_BUSY, SQLITE_BUSY_*. */
const LOCKED = /^(55P03$|SQLITE_BUSY)/;

/**
 * PostgreSQL: connection exceptions (class 08), shutdown, crash and start-up (57P01 to 57P03), too many connections
 * (53300). Node: network errors. Ours: the file was replaced.
 */
const UNREACHABLE =
  /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|replaced)$/;

/** node-postgres sets no code on these errors. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error) and is not queryable)/;

/** Returns true if a row refers to one that does not exist, or would after the statement (foreign key). */
export function isMissingReference(error: unknown): boolean {
  return causesOf(error).some((cause) => ["23503", "SQLITE_CONSTRAINT_FOREIGNKEY"].includes(codeIn(cause)));
}

/** Returns true if PostgreSQL ended the transaction because it and another one waited for each other (40P01). */
export function isDeadlock(error: unknown): boolean {
  return causesOf(error).some((cause) => codeIn(cause) === "40P01");
}

/** Returns true if a statement failed only because another process held a lock on the database for too long. */
export function isLockedByOthers(error: unknown): boolean {
  return causesOf(error).some((cause) => LOCKED.test(codeIn(cause)));
}

/**
 * Returns true if the database could not be used at this moment and the same request may succeed later: it is locked,
 * restarting, unreachable, or its file was replaced. Such a request gets 503 with Retry-After. A full or failing disk is
 * not included: it does not pass by itself, so the request gets 500 and `/readyz` fails.
 */
export function isUnavailable(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = codeIn(cause);
    return (
      LOCKED.test(code) || UNREACHABLE.test(code) || (cause instanceof Error && CONNECTION_LOST.test(cause.message))
    );
  });
}

function codeIn(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
