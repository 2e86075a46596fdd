/** What can be wrong with a database before the first query. */
export type StoreErrorCode =
  | "second server"
  | "not writable"
  | "database newer"
  | "strange wal"
  | "exchanged"
  | "no copy";

/** The database cannot be used; the message is written for the administrator. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = "StoreError";
    this.code = code;
  }
}
