import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { verify as argon2Verify, parseOptions as parseArgon2 } from "@node-rs/argon2";

/**
 * Supported forms of a password hash. `argon2`: `$argon2id$` (our own), `$argon2i$` or `$argon2d$` (PHC string).
 * `bcrypt`: `$2a$`, `$2b$` (passlib, htpasswd) or `$2y$` (PHP). `scrypt`: `$scrypt$ln=…,r=…,p=…$SALT$HASH` (passlib,
 * PHC string).
 */
type HashFormat = "argon2" | "bcrypt" | "scrypt";

/** Reasons to refuse a hash of another system. */
type HashProblem = "unknown form" | "too costly" | "no password matches" | "too short or too long";

/**
 * Maximum costs of an imported hash: 256 MiB of memory, and about a second of one core per sign-in, because others wait
 * for it. Memory alone bounds neither: passes and rows multiply it.
 */
const MAX_MEMORY_KIB = 256 * 1024;
const MAX_ARGON2_WORK_KIB = 1024 * 1024;
/** Each pass waits four times for all lanes, however little memory it fills. */
const MAX_ARGON2_PASSES = 100;
const MAX_PARALLELISM = 16;
const MAX_SCRYPT_WORK_KIB = 256 * 1024;
const MIN_BCRYPT_COST = 4;
const MAX_BCRYPT_COST = 14;

/** Length of the compared part: other passwords match a shorter one by chance, and a longer one costs time. */
const MIN_HASH_BYTES = 16;
const MAX_HASH_BYTES = 64;
/** Maximum length of the whole text, with salt. */
const MAX_TEXT_LENGTH = 256;

/** The salt (22 characters) and the hash (31) end with unused bits; the library compares with zeros. */
const BCRYPT_ZERO_BITS = /[.Oeu].{30}[.26CGKOSWaeimquy]$/;
/** A secret or associated data, which are not known here. */
const ARGON2_EXTRAS = /,(keyid|data)=/;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/.]*)\$([A-Za-z0-9+/.]{22,})$/;

const deriveScrypt: (password: string, salt: Uint8Array, length: number, options: ScryptOptions) => Promise<Buffer> =
  promisify(scrypt);

/** Returns the form of a hash whatever its cost, or null if it is not supported. */
function hashFormat(stored: string): HashFormat | null {
  if (BCRYPT.test(stored)) return "bcrypt";
  if (SCRYPT.test(stored)) return "scrypt";
  return /^\$argon2(id|i|d)\$/.test(stored) && argon2Cost(stored) ? "argon2" : null;
}

/** Returns why an imported hash cannot be used, or null if it can. */
export function checkStoredHash(stored: string): HashProblem | null {
  if (stored.length > MAX_TEXT_LENGTH) return "too short or too long";
  switch (hashFormat(stored)) {
    case null:
      return "unknown form";
    case "argon2":
      return checkArgon2(stored);
    case "bcrypt":
      if (bcryptCost(stored) < MIN_BCRYPT_COST || !BCRYPT_ZERO_BITS.test(stored)) return "no password matches";
      return bcryptCost(stored) <= MAX_BCRYPT_COST ? null : "too costly";
    case "scrypt":
      return checkScrypt(stored);
  }
}

/** The parser has refused costs that RFC 9106 §3.1 does not allow, and salts that cannot be decoded. */
function checkArgon2(stored: string): HashProblem | null {
  const { memoryCost = 0, timeCost = 0, parallelism = 0 } = argon2Cost(stored) ?? {};
  if (ARGON2_EXTRAS.test(stored)) return "no password matches";
  const isCostly = memoryCost > MAX_MEMORY_KIB || memoryCost * timeCost > MAX_ARGON2_WORK_KIB;
  if (isCostly || timeCost > MAX_ARGON2_PASSES || parallelism > MAX_PARALLELISM) return "too costly";
  return checkLength(bytesOf(stored.split("$").at(-1)));
}

/** RFC 7914 §2: N is a power of 2 above 1 and below 2^(16 r); r and p are positive. */
function checkScrypt(stored: string): HashProblem | null {
  const { cost, blockSize, memoryKib, parallelism, expected } = parseScrypt(stored);
  if (blockSize < 1 || parallelism < 1 || cost <= 1 || Math.log2(cost) >= 16 * blockSize) return "no password matches";
  const isCostly = memoryKib > MAX_MEMORY_KIB || memoryKib * parallelism > MAX_SCRYPT_WORK_KIB;
  return isCostly || parallelism > MAX_PARALLELISM ? "too costly" : checkLength(expected);
}

function checkLength({ length }: Uint8Array): HashProblem | null {
  return length >= MIN_HASH_BYTES && length <= MAX_HASH_BYTES ? null : "too short or too long";
}

/** Returns the kind, cost and lengths of a hash, without salt and digest. */
export function hashParameters(stored: string): string {
  if (hashFormat(stored) === "bcrypt") return stored.slice(0, 6);
  const parts = stored.split("$");
  return [...parts.slice(0, -2), ...parts.slice(-2).map(({ length }) => length)].join("$");
}

/**
 * Verifies a password against a hash of any supported form. Returns null for an unsupported hash, and for one that its
 * algorithm or the library refuses: earlier versions imported such hashes.
 */
export async function verifyStored(stored: string, password: string): Promise<boolean | null> {
  const problem = checkStoredHash(stored);
  if (problem === "unknown form" || problem === "no password matches") return null;
  try {
    return await verifyForm(stored, password);
  } catch {
    return null;
  }
}

async function verifyForm(stored: string, password: string): Promise<boolean | null> {
  switch (hashFormat(stored)) {
    case null:
      return null;
    case "argon2":
      return argon2Verify(stored, password);
    case "bcrypt":
      return verifyBcrypt(stored, password);
    case "scrypt":
      return verifyScrypt(stored, password);
  }
}

/** Returns log2 of the number of rounds. */
function bcryptCost(stored: string): number {
  return Number(BCRYPT.exec(stored)?.[1]);
}

async function verifyBcrypt(stored: string, password: string): Promise<boolean> {
  // Loaded on demand: most installations have no bcrypt hash.
  const { default: bcrypt } = await import("bcrypt");
  // `$2y$` is PHP's name for `$2b$`.
  return bcrypt.compare(password, stored.replace("$2y$", "$2b$"));
}

async function verifyScrypt(stored: string, password: string): Promise<boolean> {
  const { cost, blockSize, parallelism, memoryKib, salt, expected } = parseScrypt(stored);
  // Twice the memory of the N blocks, because the rest of the memory grows with p.
  const options = { cost, blockSize, parallelization: parallelism, maxmem: memoryKib * 1024 * 2 + 1024 * 1024 };
  const derived = await deriveScrypt(password, salt, expected.length, options);
  return timingSafeEqual(derived, expected);
}

/** Parses a scrypt hash. N = 2^ln, and N blocks take 128 * r bytes each (RFC 7914 §2). */
function parseScrypt(stored: string) {
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

/** Decodes base64 without padding. Some passlib forms use `.` instead of `+`. */
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
