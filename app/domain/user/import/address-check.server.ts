import { findUserByUsername, isAddressOfOther } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { ImportRow, RowProblem } from "./row.server.ts";

/**
 * Returns a function that checks a row against verified e-mail addresses, of the file and of the database: a new user
 * name must not be one of another user, and a verified address not the name of another user, because a sign-in with it
 * would find that user. `userId` is the user with the name of the row, if there is one.
 */
export function createAddressCheck(
  store: Store,
  rows: readonly ImportRow[],
): (row: ImportRow, userId: string | null) => Promise<RowProblem[]> {
  const lineOfName = new Map(rows.map(({ canonical, line }) => [canonical, line]));
  const lineOfAddress = new Map(rows.flatMap((row) => addressesOf(row).map((address) => [address, row.line])));

  async function isOfAnother(row: ImportRow, userId: string | null) {
    if (!row.canonical.includes("@")) return false;
    return (
      (lineOfAddress.get(row.canonical) ?? row.line) !== row.line || isAddressOfOther(store, row.canonical, userId)
    );
  }

  async function isNameOfAnother(address: string, { line }: ImportRow, userId: string | null) {
    if ((lineOfName.get(address) ?? line) !== line) return true;
    const user = await findUserByUsername(store, address);
    return user !== null && user.id !== userId;
  }

  return async (row, userId) => {
    const problems: RowProblem[] = [];
    const { line } = row;
    if (userId === null && (await isOfAnother(row, userId)))
      problems.push({ line, problem: "username: is the verified e-mail address of another user" });
    for (const address of addressesOf(row)) {
      if (await isNameOfAnother(address, row, userId))
        problems.push({ line, problem: "email: is the user name of another user, so it cannot be verified" });
    }
    return problems;
  };
}

/** Returns the verified address of a row in lower case, if it has one. */
function addressesOf({ email, email_verified: isVerified }: ImportRow): string[] {
  return isVerified && email !== null ? [email.toLowerCase()] : [];
}
