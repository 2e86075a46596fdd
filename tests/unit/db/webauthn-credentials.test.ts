import { describe, expect, it } from "vitest";
import {
  addWebauthnCredential,
  changeBackupFlags,
  flagWebauthnCredential,
  listKeysOfOtherRp,
  listWebauthnCredentials,
  removeWebauthnCredential,
  renameWebauthnCredential,
  touchWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

const NOW = new Date("2026-03-02T08:00:00.000Z");

async function addKey(store: Store, id: string, userId: string, createdAt = NOW) {
  return addWebauthnCredential(store, {
    id,
    userId,
    rpId: "login.office.example",
    name: "Security key",
    publicKeyBase64url: "AAAA",
    algorithm: -7,
    counter: 3,
    attestationFormat: "packed",
    backupEligible: false,
    backedUp: false,
    createdAt,
  });
}

describe.each(dialects)("security keys on %s", (dialect) => {
  it("keys of another rpId are listed with the user, ordered by name", async () => {
    const store = await withStore(dialect);
    for (const username of ["berta", "anna"])
      await addKey(store, `key of ${username}`, (await putUser(store, { username })).id);
    const key = { keyName: "Security key", rpId: "login.office.example", hasTotp: false };
    expect(await listKeysOfOtherRp(store, "new.office.example")).toEqual([
      { username: "anna", ...key },
      { username: "berta", ...key },
    ]);
    expect(await listKeysOfOtherRp(store, "login.office.example")).toEqual([]);
  });

  it("an id is added once, for any user, also inside a transaction that continues", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna" });
    const bert = await putUser(store, { username: "bert" });
    expect(await addKey(store, "key", anna.id)).toBe(true);
    await store.tx(async (tx) => {
      expect(await addKey(tx, "key", bert.id)).toBe(false);
      expect(await addKey(tx, "other", bert.id)).toBe(true);
    });
    expect(await listWebauthnCredentials(store, anna.id)).toMatchObject([{ id: "key", transports: [] }]);
    expect(await listWebauthnCredentials(store, bert.id)).toMatchObject([{ id: "other" }]);
  });

  it("are listed in the order they were added, for their user only", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna" });
    await addKey(store, "b", anna.id, new Date(1_000));
    await addKey(store, "a", anna.id, new Date(2_000));
    expect((await listWebauthnCredentials(store, anna.id)).map(({ id }) => id)).toEqual(["b", "a"]);
    expect(await listWebauthnCredentials(store, "nobody")).toEqual([]);
  });

  it("are used, flagged, renamed and removed for their user only", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "anna" });
    const bert = await putUser(store, { username: "bert" });
    await addKey(store, "key", anna.id);
    const use = { counter: 4, now: NOW };
    const flags = { backupEligible: true, backedUp: true };
    for (const wrong of [
      { id: "key", userId: bert.id },
      { id: "other", userId: anna.id },
      { id: "key\0", userId: anna.id },
    ]) {
      expect(await touchWebauthnCredential(store, { ...wrong, ...use })).toBe(false);
      expect(await changeBackupFlags(store, { ...wrong, ...flags })).toBe(false);
      expect(await flagWebauthnCredential(store, { ...wrong, now: NOW })).toBe(false);
      expect(await renameWebauthnCredential(store, { ...wrong, name: "Mine" })).toBe(false);
      expect(await removeWebauthnCredential(store, wrong)).toBe(false);
    }
    const unchanged = {
      name: "Security key",
      counter: 3,
      backupEligible: false,
      backedUp: false,
      lastUsedAt: null,
      flaggedAt: null,
    };
    expect(await listWebauthnCredentials(store, anna.id)).toMatchObject([unchanged]);
    const credential = { id: "key", userId: anna.id };
    expect(await renameWebauthnCredential(store, { ...credential, name: "Blue" })).toBe(true);
    expect(await touchWebauthnCredential(store, { ...credential, ...use })).toBe(true);
    expect(await listWebauthnCredentials(store, anna.id)).toMatchObject([
      { name: "Blue", counter: 4, lastUsedAt: NOW },
    ]);
    expect(await removeWebauthnCredential(store, credential)).toBe(true);
    expect(await listWebauthnCredentials(store, anna.id)).toEqual([]);
  });
});
