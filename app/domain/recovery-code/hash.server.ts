import { findRecoveryCodeHash } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Caller, callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";

// 50 random bits are enough for guesses that are counted, but not against a stolen database: hence argon2id, as for
// passwords. The codes of one set share a salt, so that checking one costs one hash and not ten (ASVS 6.5.2).

/** Hashes a set of codes with one salt of its own. Throws DomainError "overloaded" when too many hashes wait. */
export async function hashRecoveryCodes(
  hasher: PasswordHasher,
  codes: readonly string[],
  caller?: Caller,
): Promise<string[]> {
  const [first, ...others] = codes;
  if (first === undefined) return [];
  const hashes = [await hasher.hash(first, caller)];
  // One after the other: a set takes one lane, and leaves the others to sign-ins.
  for (const code of others) hashes.push(await hasher.hashLike(hashes[0] ?? "", code, caller));
  return hashes;
}

/** The hash under which the user's set holds this code, or null for a user without codes. Throws like `hashRecoveryCodes`. */
export async function hashInSet(
  { store, hasher }: { store: Store; hasher: PasswordHasher },
  { userId, code, address }: { userId: string; code: string; address?: string },
): Promise<string | null> {
  const ofSet = await findRecoveryCodeHash(store, userId);
  return ofSet === null ? null : hasher.hashLike(ofSet, code, callerOf(userId, address));
}
