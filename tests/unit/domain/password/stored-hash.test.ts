import { describe, expect, it } from "vitest";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { checkStoredHash, verifyStored } from "#app/domain/password/stored-hash.server.ts";
import { FOREIGN_HASHES, UNUSABLE_HASHES } from "#tests/support/foreign-hashes.ts";

const SALT_AND_HASH = "aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

describe("a hash of another system", () => {
  it.each(FOREIGN_HASHES)("$name matches its password and no other one", async ({ hash, password }) => {
    expect(checkStoredHash(hash)).toBeNull();
    expect(await verifyStored(hash, password)).toBe(true);
    for (const other of ["", `${password} `, password.toUpperCase()])
      expect(await verifyStored(hash, other)).toBe(false);
  });

  it.each(FOREIGN_HASHES)("$name requests a rehash if the password is right", async (foreign) => {
    const hasher = createPasswordHasher({ concurrency: 1 });
    expect(await hasher.verify(foreign.hash, foreign.password)).toEqual({ ok: true, needsRehash: true });
    expect(await hasher.verify(foreign.hash, "another one")).toEqual({ ok: false, needsRehash: false });
  });

  it.each([
    ["a password", "Ledger-Window-27-Oak"],
    ["nothing", ""],
    ["MD5 crypt", "$1$salt$qJH7.N4xYta3aEG/dfqo/0"],
    ["SHA-512 crypt", `$6$salt$${"a".repeat(86)}`],
    ["a hexadecimal digest", "5f4dcc3b5aa765d61d8327deb882cf99"],
    ["a bcrypt hash that was cut", "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTp"],
    ["an argon2 hash without its cost", "$argon2id$v=19$c2FsdA$aGFzaA"],
    ["argon2 with less than 8 KiB for each lane", `$argon2id$v=19$m=8,t=1,p=2$${SALT_AND_HASH}`],
    ["argon2 with a salt of 4 bytes", `$argon2id$v=19$m=19456,t=2,p=1$aM1571$${SALT_AND_HASH.split("$")[1]}`],
    ["a scrypt hash that was cut", "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q"],
  ])("is refused if it is %s, and no password matches", async (_what, hash) => {
    expect(checkStoredHash(hash)).toBe("unknown form");
    expect(await verifyStored(hash, hash)).toBeNull();
  });

  it.each([
    ["argon2 with 4 GiB", "$argon2id$v=19$m=4194304,t=2,p=1$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A"],
    ["argon2 with 1000 passes", "$argon2id$v=19$m=19456,t=1000,p=1$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A"],
    [
      "argon2 with 8192 passes in 16 lanes",
      "$argon2id$v=19$m=128,t=8192,p=16$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A",
    ],
    ["bcrypt with 2^31 rounds", "$2b$31$abcdefghijklmnopqrstuuoQfUAwEZ6v8LRE41.cRcVtVwgbGB3Va"],
    ["scrypt with 16 GiB", `$scrypt$ln=24,r=8,p=1$${SALT_AND_HASH}`],
    ["scrypt in 999 rows", `$scrypt$ln=14,r=8,p=999$${SALT_AND_HASH}`],
    ["scrypt with 256 MiB in 16 rows", `$scrypt$ln=18,r=8,p=16$${SALT_AND_HASH}`],
    [
      "argon2 with 256 MiB and 20 passes",
      "$argon2id$v=19$m=262144,t=20,p=1$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjd6n8yniKtAithoR7A",
    ],
  ])("is refused if its cost exceeds the maximum: %s", (_what, hash) => {
    expect(checkStoredHash(hash)).toBe("too costly");
  });

  it.each(UNUSABLE_HASHES)("that no password matches is no match, and throws nothing: %s", async (hash) => {
    expect(await verifyStored(hash, "Ledger-Window-27-Oak")).toBeNull();
    const hasher = createPasswordHasher({ concurrency: 1 });
    expect(await hasher.verify(hash, "Ledger-Window-27-Oak")).toEqual({ ok: false, needsRehash: false });
  });

  it.each([
    ["4 bytes", "$argon2id$v=19$m=19456,t=2,p=1$aI2R0hpDyLm3ltLa+1/rvQ$LqPKjQ"],
    ["16 bytes, but a salt of 1024", `$scrypt$ln=14,r=8,p=1$${"A".repeat(1366)}$nFNh2CVHVjNldFVKDHDlmA`],
    ["1024 bytes", `$scrypt$ln=14,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$${"A".repeat(1366)}`],
  ])("is refused with a compared part of %s", (_length, hash) => {
    expect(checkStoredHash(hash)).toBe("too short or too long");
  });

  it.each([
    ["as typed", (text: string) => text],
    ["in NFD", (text: string) => text.normalize("NFD")],
    ["in NFKC", (text: string) => text.normalize("NFKC")],
  ])("of a password that was hashed %s matches it, and requests a rehash", async (_form, formOf) => {
    const typed = "Ma\u0308rz-\ufb01nden-27-Öl";
    const { default: bcrypt } = await import("bcrypt");
    const stored = await bcrypt.hash(formOf(typed), 4);
    const hasher = createPasswordHasher({ concurrency: 1 });
    expect(await hasher.verify(stored, typed)).toEqual({ ok: true, needsRehash: true });
    expect(await hasher.verify(stored, typed.toLowerCase())).toEqual({ ok: false, needsRehash: false });
  });
});
