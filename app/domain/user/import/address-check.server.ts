import { findUserByUsername, isAddressOfOther } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { canonicalAddress, spellingsOf } from "#app/mail-address.server.ts";
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
    const email = canonicalAddress(row.canonical);
    if (email === null) return false;
    return (lineOfAddress.get(email) ?? row.line) !== row.line || isAddressOfOther(store, email, userId);
  }

  async function isNameOfAnother(name: string, { line }: ImportRow, userId: string | null) {
    if ((lineOfName.get(name) ?? line) !== line) return true;
    const user = await findUserByUsername(store, name);
    return user !== null && user.id !== userId;
  }

  return async (row, userId) => {
    const problems: RowProblem[] = [];
    const { line } = row;
    if (userId === null && (await isOfAnother(row, userId))) {
      const problem = "username: is the verified e-mail address of another user";
      problems.push({ line, problem, reason: { kind: "name is an address" } });
    }
    for (const name of addressesOf(row).flatMap(spellingsOf)) {
      if (await isNameOfAnother(name, row, userId)) {
        const problem = "email: is the user name of another user, so it cannot be verified";
        problems.push({ line, problem, reason: { kind: "address is a name" } });
      }
    }
    return problems;
  };
}

/** Returns the canonical form of the verified address of a row, if it has one. */
function addressesOf({ email, email_verified: isVerified }: ImportRow): string[] {
  const canonical = isVerified && email !== null ? canonicalAddress(email) : null;
  return canonical === null ? [] : [canonical];
}
