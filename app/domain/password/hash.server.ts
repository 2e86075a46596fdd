import { availableParallelism } from "node:os";
import { hash as argon2Hash, verify as argon2Verify, type Options, parseOptions } from "@node-rs/argon2";
import { DomainError } from "#app/domain/base/errors.ts";
import { type Caller, createConcurrencyLimit } from "./concurrency-limit.server.ts";
import { isTooLong, normalisePassword } from "./rules.ts";
import { verifyStored } from "./stored-hash.server.ts";

/** Cost of one argon2id hash: memory in KiB, number of passes, threads. */
type Argon2Parameters = { memoryKib: number; passes: number; parallelism: number };

/** Minimum and default cost (OWASP Password Storage Cheat Sheet, argon2id). */
const ARGON2_FLOOR = { memoryKib: 19_456, passes: 2, parallelism: 1 } as const satisfies Argon2Parameters;

/** Maximum number of waiting hashes. */
export const HASH_QUEUE_LIMIT = 32;

/** Hashes and verifies passwords with argon2id, under a concurrency limit. */
export type PasswordHasher = {
  /**
   * Hashes a password (argon2id, random salt, PHC string). Throws DomainError "password-strength" above 256 code
   * points, "overloaded" when the caller may not wait.
   */
  hash(password: string, caller?: Caller): Promise<string>;
  /**
   * Compares a password with a stored hash. `null`, and a hash that cannot be verified, compare with a dummy hash of the
   * same cost, so that an unknown user takes as long as a wrong password. Above 256 code points `ok` is false without
   * hashing. A password with other forms in Unicode than NFC is compared in these too, because other systems hash it as
   * typed or in NFD or NFKC.
   * `needsRehash` is true if the password is right and its hash has another form or cost than ours
   * (stored-hash.server.ts). Throws DomainError "overloaded" when the caller may not wait.
   */
  verify(hash: string | null, password: string, caller?: Caller): Promise<{ ok: boolean; needsRehash: boolean }>;
  /**
   * Hashes with the salt and cost of a stored hash, so that equal texts give equal hashes and a recovery code is found
   * by one statement. Not for passwords, each of which has its own salt. Throws like `hash`.
   */
  hashLike(stored: string, text: string, caller?: Caller): Promise<string>;
};

/**
 * Creates the password hasher. A hash occupies a processor core: at most `concurrency` run at once (default: cores - 1) and
 * at most `queueLimit` wait (see concurrency-limit.server.ts). Throws RangeError for parameters below `ARGON2_FLOOR`.
 */
export function createPasswordHasher(
  input: { concurrency?: number; queueLimit?: number; parameters?: Argon2Parameters } = {},
): PasswordHasher {
  const parameters = input.parameters ?? ARGON2_FLOOR;
  requireFloor(parameters);
  const runLimited = createConcurrencyLimit({
    concurrency: input.concurrency ?? Math.max(1, availableParallelism() - 1),
    queueLimit: input.queueLimit ?? HASH_QUEUE_LIMIT,
  });
  const dummyHash = createDummyHash(parameters);

  async function hashWith(options: Options, password: string, caller?: Caller): Promise<string> {
    if (isTooLong(password)) throw new DomainError("password-strength", { detail: "more than 256 code points" });
    return runLimited(() => argon2Hash(normalisePassword(password), options), caller);
  }

  async function hash(password: string, caller?: Caller): Promise<string> {
    const { memoryKib: memoryCost, passes: timeCost, parallelism } = parameters;
    return hashWith({ memoryCost, timeCost, parallelism }, password, caller);
  }

  async function hashLike(stored: string, text: string, caller?: Caller): Promise<string> {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    return hashWith({ memoryCost, timeCost, parallelism, salt: saltOf(stored) }, text, caller);
  }

  /**
   * Returns the form of the password that matches, our own (NFC) first, or null. The forms depend on the password alone,
   * so that an unknown user takes as long as a known one; ASCII has one form.
   */
  async function findMatchingForm(stored: string | null, password: string): Promise<string | null> {
    const nfc = normalisePassword(password);
    for (const form of new Set([nfc, password, password.normalize("NFD"), password.normalize("NFKC")])) {
      const matches = stored === null ? null : await verifyStored(stored, form);
      if (matches) return form;
      if (matches === null) await argon2Verify(dummyHash, form);
    }
    return null;
  }

  async function verify(stored: string | null, password: string, caller?: Caller) {
    if (isTooLong(password)) return { ok: false, needsRehash: false };
    const form = await runLimited(() => findMatchingForm(stored, password), caller);
    const ok = form !== null && stored !== null;
    return { ok, needsRehash: ok && (form !== normalisePassword(password) || hasOtherCost(stored, parameters)) };
  }

  return { hash, verify, hashLike };
}

function requireFloor(parameters: Argon2Parameters): void {
  const { memoryKib, passes, parallelism } = parameters;
  if (memoryKib >= ARGON2_FLOOR.memoryKib && passes >= ARGON2_FLOOR.passes && parallelism >= ARGON2_FLOOR.parallelism) {
    return;
  }
  throw new RangeError(`argon2id needs at least m=19456,t=2,p=1; got m=${memoryKib},t=${passes},p=${parallelism}`);
}

/** Returns a well-formed dummy hash: verifying against it costs the same and never succeeds. */
function createDummyHash(parameters: Argon2Parameters): string {
  const { memoryKib, passes, parallelism } = parameters;
  const salt = "A".repeat(22);
  const output = "A".repeat(43);
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${salt}$${output}`;
}

/** Returns the salt of a PHC string: `$argon2id$v=19$m=…,t=…,p=…$SALT$HASH`. */
function saltOf(stored: string): Uint8Array {
  return Buffer.from(stored.split("$")[4] ?? "", "base64");
}

function hasOtherCost(stored: string, parameters: Argon2Parameters): boolean {
  if (!stored.startsWith("$argon2id$")) return true;
  const { memoryCost, timeCost, parallelism } = parseOptions(stored);
  const { memoryKib, passes } = parameters;
  return memoryCost !== memoryKib || timeCost !== passes || parallelism !== parameters.parallelism;
}
