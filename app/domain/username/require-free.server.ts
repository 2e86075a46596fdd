import { isAddressOfOther } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { canonicalAddress } from "#app/mail-address.server.ts";

/**
 * Refuses a new user name that is the verified e-mail address of another user than `userId` (null for a new user): it
 * would take sign-ins and password resets with that address. The unique index refuses the names of other users. Throws
 * DomainError "username not available".
 */
export async function requireFreeName(store: Store, canonical: string, userId: string | null): Promise<void> {
  const email = canonicalAddress(canonical);
  if (email !== null && (await isAddressOfOther(store, email, userId))) throw new DomainError("username not available");
}
