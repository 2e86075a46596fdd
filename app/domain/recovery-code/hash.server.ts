import { findRecoveryCodeHash } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Caller, callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";

// 50 random bits resist counted guesses, but not offline attacks on a stolen database: hence argon2id. The codes of one
// set share a salt, so that checking a code costs one hash instead of ten (OWASP ASVS 6.5.2).

/** Hashes a set of codes with one new salt. Throws DomainError "overloaded" when the hash queue is full. */
export async function hashRecoveryCodes(
  hasher: PasswordHasher,
  codes: readonly string[],
  caller?: Caller,
): Promise<string[]> {
  const [first, ...others] = codes;
  if (first === undefined) return [];
  const hashes = [await hasher.hash(first, caller)];
  // Sequentially, so that sign-ins can use the other slots of the concurrency limit.
  for (const code of others) hashes.push(await hasher.hashLike(hashes[0] ?? "", code, caller));
  return hashes;
}

/** Hashes a code like the user's set. Returns null if the user has no codes. Throws like `hashRecoveryCodes`. */
export async function hashInSet(
  { store, hasher }: { store: Store; hasher: PasswordHasher },
  { userId, code, address }: { userId: string; code: string; address?: string },
): Promise<string | null> {
  const hashOfSet = await findRecoveryCodeHash(store, userId);
  return hashOfSet === null ? null : hasher.hashLike(hashOfSet, code, callerOf(userId, address));
}
