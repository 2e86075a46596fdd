import { findUserByUsername, isAddressOfOther } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { canonicalAddress, spellingsOf } from "#app/mail-address.server.ts";

/**
 * Refuses a new user name that is the verified e-mail address of another user than `userId` (null for a new user): it
 * would take sign-ins and password resets with that address. The unique index refuses the names of other users. Throws
 * DomainError "username not available".
 */
export async function requireFreeName(store: Store, canonical: string, userId: string | null): Promise<void> {
  const email = canonicalAddress(canonical);
  if (email !== null && (await isAddressOfOther(store, email, userId))) throw new DomainError("username not available");
}

/**
 * Returns true if an e-mail address is the user name of another user than `userId`. It must not be verified then: a
 * sign-in with it would find that user.
 */
export async function isNameOfOther(store: Store, email: string, userId: string): Promise<boolean> {
  for (const name of spellingsOf(canonicalAddress(email) ?? email)) {
    const user = await findUserByUsername(store, name);
    if (user !== null && user.id !== userId) return true;
  }
  return false;
}
