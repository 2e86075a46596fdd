import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { verify as argon2Verify, parseOptions as parseArgon2 } from "@node-rs/argon2";

/**
 * The forms of a password hash that can be checked. `argon2`: `$argon2id$`, `$argon2i$` or `$argon2d$` (PHC string); ours is
 * the first. `bcrypt`: `$2a$`, `$2b$` (passlib, htpasswd) or `$2y$` (PHP). `scrypt`: `$scrypt$ln=…,r=…,p=…$SALT$HASH`
 * (passlib, PHC string).
 */
export type HashForm = "argon2" | "bcrypt" | "scrypt";

/** What can be wrong with a hash of another system. */
export type HashProblem = "unknown form" | "too costly";

/** Above these, one sign-in would hold the machine up: 256 MiB of memory, a second or so of time. */
const MAX_MEMORY_KIB = 256 * 1024;
const MAX_ARGON2_PASSES = 20;
const MAX_PARALLELISM = 16;
const MAX_BCRYPT_COST = 15;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/.]*)\$([A-Za-z0-9+/.]{22,})$/;

const deriveScrypt: (password: string, salt: Uint8Array, length: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt);

/** The form of a hash, whatever it costs; null for none that is known. */
export function hashForm(stored: string): HashForm | null {
  if (BCRYPT.test(stored)) return "bcrypt";
  if (SCRYPT.test(stored)) return "scrypt";
  return /^\$argon2(id|i|d)\$/.test(stored) && argon2Cost(stored) ? "argon2" : null;
}

/** What is wrong with a hash that comes from elsewhere, or null when it can be checked at a sign-in. */
export function judgeHash(stored: string): HashProblem | null {
  switch (hashForm(stored)) {
    case null:
      return "unknown form";
    case "argon2": {
      const { memoryCost = 0, timeCost = 0, parallelism = 0 } = argon2Cost(stored) ?? {};
      const fits = memoryCost <= MAX_MEMORY_KIB && timeCost <= MAX_ARGON2_PASSES && parallelism <= MAX_PARALLELISM;
      return fits ? null : "too costly";
    }
    case "bcrypt":
      return bcryptCost(stored) <= MAX_BCRYPT_COST ? null : "too costly";
    case "scrypt": {
      const { memoryKib, parallelism } = scryptParts(stored);
      return memoryKib <= MAX_MEMORY_KIB && parallelism <= MAX_PARALLELISM ? null : "too costly";
    }
  }
}

/** Whether this is the password of the hash, whatever form that has. An unreadable hash has no password. */
export async function verifyStored(stored: string, password: string): Promise<boolean> {
  switch (hashForm(stored)) {
    case null:
      return false;
    case "argon2":
      return argon2Verify(stored, password);
    case "bcrypt":
      return verifyBcrypt(stored, password);
    case "scrypt":
      return verifyScrypt(stored, password);
  }
}

/** Log2 of the rounds. */
function bcryptCost(stored: string): number {
  return Number(BCRYPT.exec(stored)?.[1]);
}

async function verifyBcrypt(stored: string, password: string): Promise<boolean> {
  // Read when the first such hash comes: most installations have none.
  const { default: bcrypt } = await import("bcrypt");
  // PHP's name for what everybody else calls 2b.
  return bcrypt.compare(password, stored.replace("$2y$", "$2b$"));
}

async function verifyScrypt(stored: string, password: string): Promise<boolean> {
  const { cost, blockSize, parallelism, memoryKib, salt, expected } = scryptParts(stored);
  // Twice as much as the table of N blocks: what is beside it grows with p.
  const options = { cost, blockSize, parallelization: parallelism, maxmem: memoryKib * 1024 * 2 + 1024 * 1024 };
  const derived = await deriveScrypt(password, salt, expected.length, options);
  return timingSafeEqual(derived, expected);
}

/** The parts of a scrypt hash. RFC 7914 section 2: N = 2^ln, and N blocks of 128 r bytes of memory. */
function scryptParts(stored: string) {
  const [, ln, r, p, salt, hash] = SCRYPT.exec(stored) ?? [];
  const [cost, blockSize] = [2 ** Number(ln), Number(r)];
  return {
    cost,
    blockSize,
    parallelism: Number(p),
    memoryKib: (128 * cost * blockSize) / 1024,
    salt: bytesOf(salt),
    expected: bytesOf(hash),
  };
}

/** Base64 without padding; passlib writes a dot for the plus in some of its forms. */
function bytesOf(text = ""): Buffer {
  return Buffer.from(text.replaceAll(".", "+"), "base64");
}

function argon2Cost(stored: string) {
  try {
    return parseArgon2(stored);
  } catch {
    return null;
  }
}
