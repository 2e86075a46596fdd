import { describe, expect, it } from "vitest";
import { hasCode } from "#app/domain/base/errors.ts";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { UNUSABLE_HASHES } from "#tests/support/foreign-hashes.ts";

const hasher = createPasswordHasher({ concurrency: 1 });

describe("password hashes", () => {
  it("a hash is argon2id with at least m=19456, t=2, p=1, and each has its own salt", async () => {
    const first = await hasher.hash("Correct horse 1");
    const second = await hasher.hash("Correct horse 1");
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(second).not.toBe(first);
    expect(await hasher.verify(first, "Correct horse 1")).toEqual({ ok: true, needsRehash: false });
  });

  it("hashing like a stored hash gives the same hash for the same text, at its cost, and another for other text", async () => {
    const stronger = createPasswordHasher({
      concurrency: 1,
      parameters: { memoryKib: 19_456, passes: 3, parallelism: 1 },
    });
    const stored = await stronger.hash("ABCDE23456");
    expect(await hasher.hashLike(stored, "ABCDE23456")).toBe(stored);
    expect(await hasher.hashLike(stored, "ABCDE23457")).not.toBe(stored);
  });

  // Proves requirement 3.
  it("case, a trailing space and the 73rd byte matter", async () => {
    const long = `Aa1${"x".repeat(69)}`;
    const hash = await hasher.hash(`${long}yz`);
    expect((await hasher.verify(hash, `${long}yz`)).ok).toBe(true);
    expect((await hasher.verify(hash, `${long}Yz`)).ok).toBe(false);
    expect((await hasher.verify(hash, `${long}yz `)).ok).toBe(false);
    expect((await hasher.verify(hash, `${long}y`)).ok).toBe(false);
    expect((await hasher.verify(hash, `a${long.slice(1)}yz`)).ok).toBe(false);
  });

  it("the composed and the decomposed form of a password are equal", async () => {
    const hash = await hasher.hash("Gro\u0308ßenwahn 123");
    expect((await hasher.verify(hash, "Gr\u00f6ßenwahn 123")).ok).toBe(true);
    expect((await hasher.verify(await hasher.hash("Gr\u00f6ßenwahn 123"), "Gro\u0308ßenwahn 123")).ok).toBe(true);
  });

  // Proves requirement 2.
  it("passwords of 64, 128 and 256 characters with spaces work, 257 are refused without hashing", async () => {
    for (const length of [64, 128, 256]) {
      const password = "Aa1 ".repeat(length / 4);
      expect((await hasher.verify(await hasher.hash(password), password)).ok).toBe(true);
    }
    const tooLong = "Aa1 ".repeat(64).concat("x");
    await expect(hasher.hash(tooLong)).rejects.toSatisfy((error) => hasCode(error, "password-strength"));
    expect(await hasher.verify(null, tooLong)).toEqual({ ok: false, needsRehash: false });
  });

  it("an old short password still verifies", async () => {
    expect((await hasher.verify(await hasher.hash("short"), "short")).ok).toBe(true);
  });

  it("no password matches a user without one, or with an unusable one, and the check takes a full hash", async () => {
    const hash = await hasher.hash("Correct horse 1");
    const [known, unknown, unusable] = [
      await cpuMs(() => hasher.verify(hash, "wrong")),
      await cpuMs(() => hasher.verify(null, "wrong")),
      await cpuMs(() => hasher.verify(UNUSABLE_HASHES[0], "wrong")),
    ];
    expect(unknown).toBeGreaterThan(known * 0.6);
    expect(unusable).toBeGreaterThan(known * 0.6);
    expect((await hasher.verify(null, "")).ok).toBe(false);
    expect((await hasher.verify(null, "A".repeat(43))).ok).toBe(false);
  });

  // Proves requirement 13.
  it("a hash of another cost verifies and requests a rehash, but only with the right password", async () => {
    const stronger = createPasswordHasher({
      concurrency: 1,
      parameters: { memoryKib: 19_456, passes: 3, parallelism: 1 },
    });
    const old = await hasher.hash("Correct horse 1");
    expect(await stronger.verify(old, "Correct horse 1")).toEqual({ ok: true, needsRehash: true });
    expect(await stronger.verify(old, "wrong")).toEqual({ ok: false, needsRehash: false });
    const today = await stronger.hash("Correct horse 1");
    expect(await stronger.verify(today, "Correct horse 1")).toEqual({ ok: true, needsRehash: false });
    expect(await hasher.verify(today, "Correct horse 1")).toEqual({ ok: true, needsRehash: true });
  });

  it.each([
    { memoryKib: 19_455, passes: 2, parallelism: 1 },
    { memoryKib: 65_536, passes: 1, parallelism: 1 },
    { memoryKib: 19_456, passes: 2, parallelism: 0 },
  ])("parameters below the floor are refused: %o", (parameters) => {
    expect(() => createPasswordHasher({ parameters })).toThrow(RangeError);
  });

  it("a full queue refuses the next job at once, and runs the waiting ones", async () => {
    const small = createPasswordHasher({ concurrency: 1, queueLimit: 2 });
    const served = [small.verify(null, "a"), small.verify(null, "b"), small.verify(null, "c")];
    await expect(small.verify(null, "d")).rejects.toSatisfy((error) => hasCode(error, "overloaded"));
    expect(await Promise.all(served)).toHaveLength(3);
    expect(await small.verify(null, "e")).toEqual({ ok: false, needsRehash: false });
  });
});

/** Returns the median processor time of one call, which excludes the load of other programs. */
async function cpuMs(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const before = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[4] ?? 0;
}
