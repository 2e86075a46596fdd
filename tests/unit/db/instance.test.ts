import { describe, expect, test } from "vitest";
import {
  ensureInstance,
  findInstance,
  getInstance,
  getKeysGeneration,
  incrementKeysGeneration,
} from "#app/db/repositories/instance.server.ts";
import { insertSigningKey, listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import type { NewSigningKey } from "#app/db/schema.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, sealed } from "./rows.ts";

const fields = { keyFingerprint: "f", issuer: "http://localhost:3000", rpId: "localhost", createdAt: now };

function key(kid: string, fields: Partial<NewSigningKey> = {}): NewSigningKey {
  return { kid, alg: "RS256", state: "current", sealedJwk: sealed("jwk"), createdAt: now, ...fields };
}

describe.each(dialects)("the instance and its keys on %s", (dialect) => {
  test("an instance is created once, by the first of many concurrent callers", async () => {
    const store = await withStore(dialect);
    expect(await findInstance(store)).toBeNull();
    await expect(getInstance(store)).rejects.toThrow(/no instance row/);
    const instances = await Promise.all(
      Array.from({ length: 10 }, (_, index) => ensureInstance(store, { ...fields, keyFingerprint: `f${index}` })),
    );
    expect(new Set(instances.map((instance) => instance.keyFingerprint)).size).toBe(1);
    expect(instances[0]).toMatchObject({ id: 1, epoch: 1, keysGeneration: 0, issuer: fields.issuer, createdAt: now });
    expect(await ensureInstance(store, { ...fields, issuer: "http://other" })).toEqual(instances[0]);
  });

  test("the keys' generation increases by one for each caller", async () => {
    const store = await withStore(dialect);
    await expect(incrementKeysGeneration(store)).rejects.toThrow();
    await ensureInstance(store, fields);
    const responses = await Promise.all(Array.from({ length: 10 }, () => incrementKeysGeneration(store)));
    expect(responses.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await getKeysGeneration(store)).toBe(10);
  });

  test("an algorithm has one current and one next key, despite concurrent starts", async () => {
    const store = await withStore(dialect);
    const adding = Array.from({ length: 10 }, (_, index) => insertSigningKey(store, key(`k${index}`)));
    expect((await Promise.all(adding)).filter(Boolean)).toHaveLength(1);
    expect(await insertSigningKey(store, key("next", { state: "next", createdAt: at(1) }))).toBe(true);
    expect(await insertSigningKey(store, key("ec", { alg: "ES256", createdAt: at(2) }))).toBe(true);
    for (const kid of ["old", "older"]) {
      expect(await insertSigningKey(store, key(kid, { state: "retired", createdAt: at(3), retiredAt: at(4) }))).toBe(
        true,
      );
    }
    const keys = await listSigningKeys(store);
    expect(keys.map((row) => row.kid).slice(1)).toEqual(["next", "ec", "old", "older"]);
    expect(keys.at(-1)).toMatchObject({ state: "retired", retiredAt: at(4), activatedAt: null });
  });
});
