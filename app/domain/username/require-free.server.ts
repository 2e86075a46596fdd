import { isReservedUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import { findUserByUsername, hasOtherThisAddress, isAddressOfOther } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { canonicalAddress, spellingsOf } from "#app/mail-address.server.ts";

/**
 * Locks user names that look like addresses, and the verification of addresses, until the transaction ends: each is
 * checked against the other. Lock the rows of existing users before, and the audit trail after.
 */
export function lockLoginNames(store: Store): Promise<void> {
  return store.lock("login names");
}

/**
 * Refuses a new user name of the user `userId` that a removed user had, because applications may know that user by the
 * name; and one that is the verified e-mail address of another user, because it would take sign-ins and password resets
 * with that address. The unique index refuses the names of other users. Call it in the transaction that stores the name,
 * after it is stored: until then, another transaction may remove the user who has it. Throws DomainError "username not
 * available".
 */
export async function requireFreeName(store: Store, canonical: string, userId: string): Promise<void> {
  if (await isReservedUsername(store, canonical)) {
    throw new DomainError("username not available", { detail: `${canonical} was the user name of a removed user` });
  }
  const email = canonicalAddress(canonical);
  if (email === null) return;
  await lockLoginNames(store);
  if (await isAddressOfOther(store, email, userId)) throw new DomainError("username not available");
}

/**
 * Returns true if an e-mail address, in any spelling of its domain, is the user name of another user than `userId`. It
 * must not be verified then: a sign-in with it would find that user. Call it in the transaction that verifies the
 * address.
 */
export async function isNameOfOther(store: Store, email: string, userId: string): Promise<boolean> {
  await lockLoginNames(store);
  for (const name of spellingsOf(canonicalAddress(email) ?? email)) {
    const user = await findUserByUsername(store, name);
    if (user !== null && user.id !== userId) return true;
  }
  return false;
}

/**
 * Returns true if an e-mail address belongs to another user than `userId`, verified or not, or is that user's name. Call
 * it in the transaction that stores the address as verified.
 */
export async function isAddressTaken(store: Store, email: string, userId: string): Promise<boolean> {
  if (await isNameOfOther(store, email, userId)) return true;
  return hasOtherThisAddress(store, canonicalAddress(email) ?? email, userId);
}

/** Throws DomainError "user is invalid" if `isNameOfOther`. */
export async function requireVerifiable(store: Store, email: string, userId: string): Promise<void> {
  if (!(await isNameOfOther(store, email, userId))) return;
  const detail = `email: ${printable(email)} is the user name of another user, so it cannot be verified`;
  throw new DomainError("user is invalid", { detail });
}
