import { causesOf } from "./driver.server.ts";

/** PostgreSQL's word for a lock that was not to be had in time (appendix A of its manual). */
const LOCK_NOT_AVAILABLE = "55P03";

/** Whether a statement failed only because somebody else held the database for too long. */
export function isHeldByOthers(error: unknown): boolean {
  return causesOf(error).some((cause) => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    return code === LOCK_NOT_AVAILABLE || code.startsWith("SQLITE_BUSY");
  });
}
