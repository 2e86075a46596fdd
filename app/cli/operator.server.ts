import { userInfo } from "node:os";
import { printable } from "#app/domain/base/printable.ts";

const MAX_LENGTH = 64;

/**
 * Returns the operating-system user who runs a command, for audit events: the user who called sudo, or the user of the
 * process. It is a statement of the caller, who can read and write the database anyway, and not an authentication.
 */
export function findOperator(env: Readonly<Record<string, string | undefined>>): string {
  return printable(env["SUDO_USER"] || nameOfProcessUser(), MAX_LENGTH);
}

function nameOfProcessUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
