import { replacePasswordHash } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import type { Caller } from "./concurrency-limit.server.ts";
import type { PasswordHasher } from "./hash.server.ts";

/**
 * Hashes a verified password at the current cost and replaces its hash, unless the hash queue is full; then the next
 * use of the password retries.
 */
export async function upgradeHash(
  { store, hasher }: { store: Store; hasher: PasswordHasher },
  { user, password, caller }: { user: User; password: string; caller: Caller },
): Promise<void> {
  if (user.passwordHash === null) return;
  try {
    const hash = await hasher.hash(password, caller);
    // Replaces only the verified hash: a password changed meanwhile stays.
    await replacePasswordHash(store, user.id, { expected: user.passwordHash, hash });
  } catch (error) {
    if (!hasCode(error, "overloaded")) throw error;
  }
}
