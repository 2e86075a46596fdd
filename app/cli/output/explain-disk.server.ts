import { causesOf } from "#app/db/driver.server.ts";

/** What an administrator can do about each; what SQLite and Node call them begins so. */
const MENDS: readonly { codes: readonly string[]; is: string; mend: string }[] = [
  {
    codes: ["SQLITE_FULL", "ENOSPC", "EDQUOT"],
    is: "The disk is full",
    mend: "Make room: df -h says where it lacks. What was not finished was undone; run the command again.",
  },
  {
    codes: ["SQLITE_READONLY", "SQLITE_CANTOPEN", "EROFS"],
    is: "The database, or its folder, cannot be written",
    mend: "Both must belong to whom this runs as, on a file system that is not read-only: ls -la, and mount, tell.",
  },
  {
    codes: ["SQLITE_IOERR", "EIO", "EFBIG"],
    is: "The disk refused to read or write",
    mend: "dmesg and df -h say why. What was not finished was undone; run the command again once the disk is well.",
  },
];

/** Puts into words that the disk failed a command; null when it was something else. */
export function explainDisk(error: unknown): readonly string[] | null {
  for (const cause of causesOf(error)) {
    if (!(cause instanceof Error && "code" in cause)) continue;
    const code = String(cause.code);
    const found = MENDS.find(({ codes }) => codes.some((one) => code === one || code.startsWith(`${one}_`)));
    if (found) return [`${found.is}: ${cause.message} (${code}).`, found.mend];
  }
  return null;
}
