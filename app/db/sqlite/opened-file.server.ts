import { statSync } from "node:fs";
import { StoreError } from "#app/db/errors.server.ts";

/** The file of an open SQLite database, as it was when opened. */
type OpenedFile = {
  /** Compares device and inode with what is at the path now. Throws StoreError "replaced" unless they are the same. */
  compare(): void;
  /** Throws the error of the last `compare`, without accessing the disk. */
  requireSame(): void;
};

/**
 * Detects that the open database file was replaced or deleted. SQLite would continue with the unlinked file, and all
 * later writes would be lost on close.
 */
export function openedFile(file: string): OpenedFile {
  const opened = statSync(file);
  let replaced: StoreError | null = null;

  function requireSame(): void {
    if (replaced) throw replaced;
  }

  return {
    requireSame,
    compare() {
      const current = statSync(file, { throwIfNoEntry: false });
      const isSame = current?.dev === opened.dev && current.ino === opened.ino;
      replaced = isSame ? null : replacedError(file, current !== undefined);
      requireSame();
    },
  };
}

function replacedError(file: string, exists: boolean): StoreError {
  const event = exists ? "was replaced by another file" : "was deleted";
  return new StoreError(
    "replaced",
    `Database file ${file} ${event} while the server was running. Nothing more is written to it. Stop the server, put the right file in its place (gatehouse restore), and start it again.`,
  );
}
