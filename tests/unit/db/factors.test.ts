import { describe, expect, test } from "vitest";
import { countFactors, removeFactors } from "#app/db/repositories/factors.server.ts";
import { consumeRecoveryCode, replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import {
  consumeStep,
  createTotpCredential,
  findTotpCredential,
  removeTotpCredential,
  updateWrongSteps,
} from "#app/db/repositories/totp-credentials.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { findUser, setUserStatus } from "#app/db/repositories/users.server.ts";
import {
  addWebauthnCredential,
  removePasskeysSince,
  removeWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, dialects, withStore, withTwoStores } from "#tests/support/databases.ts";
import { at, now, sealed, storedUser } from "./rows.ts";

const userId = "id of anna";

async function storedApp(store: Store, lastStep = 100) {
  await storedUser(store, "Anna");
  await createTotpCredential(store, { userId, sealedSecret: sealed("secret"), lastStep, createdAt: now });
}

function storedKey(id: string, createdAt: Date) {
  return {
    ...{ id, userId, rpId: "login.office.example", name: "Security key", publicKeyBase64url: "AAAA", algorithm: -7 },
    ...{ counter: 3, attestationFormat: "packed", backupEligible: false, backedUp: false, createdAt },
  };
}

describe.each(dialects)("factors on %s", (dialect) => {
  test("are counted by kind, for one user; used recovery codes do not count", async () => {
    const store = await withStore(dialect);
    const none = { totp: 0, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 };
    expect(await countFactors(store, userId)).toEqual(none);
    await storedApp(store);
    await storedUser(store, "Berta");
    await store.tx((tx) => replaceRecoveryCodes(tx, userId, { codeHashes: ["a", "b", "c"], now }));
    await consumeRecoveryCode(store, userId, { codeHash: "b", now });
    expect(await countFactors(store, userId)).toEqual({ ...none, totp: 1, recoveryCodesLeft: 2 });
    expect(await countFactors(store, "id of berta")).toEqual(none);
  });

  test("are removed together with the recovery codes, and of one user only", async () => {
    const store = await withStore(dialect);
    await storedApp(store);
    await storedUser(store, "Berta");
    await addWebauthnCredential(store, storedKey("key", now));
    await addWebauthnCredential(store, { ...storedKey("other", now), userId: "id of berta" });
    await store.tx((tx) => replaceRecoveryCodes(tx, userId, { codeHashes: ["a", "b"], now }));
    await removeFactors(store, userId);
    expect(await countFactors(store, userId)).toEqual({ totp: 0, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 });
    expect(await countFactors(store, "id of berta")).toMatchObject({ securityKeys: 1 });
  });

  // Proves requirement 222.
  test("are known at the user, whichever is added or removed", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    await storedUser(store, "Berta");
    const hasFactor = async (id = userId) => (await findUser(store, id))?.hasFactor;
    const steps = [
      {
        step: (tx: Store) =>
          createTotpCredential(tx, { userId, sealedSecret: sealed("s"), lastStep: 1, createdAt: now }),
      },
      { step: (tx: Store) => addWebauthnCredential(tx, storedKey("key", now)) },
      { step: (tx: Store) => removeTotpCredential(tx, userId) },
      { step: (tx: Store) => removeWebauthnCredential(tx, { id: "key", userId: "id of berta" }) },
      { step: (tx: Store) => removeWebauthnCredential(tx, { id: "key", userId }), isWithout: true },
      { step: (tx: Store) => addWebauthnCredential(tx, { ...storedKey("passkey", now), isPasskey: true }) },
      { step: (tx: Store) => removePasskeysSince(tx, { userId, since: at(1) }) },
      { step: (tx: Store) => removePasskeysSince(tx, { userId, since: now }), isWithout: true },
      {
        step: (tx: Store) =>
          createTotpCredential(tx, { userId, sealedSecret: sealed("s"), lastStep: 1, createdAt: now }),
      },
      { step: (tx: Store) => removeFactors(tx, userId), isWithout: true },
    ];
    expect(await hasFactor()).toBe(false);
    for (const [number, { step, isWithout = false }] of steps.entries()) {
      await store.tx(async (tx) => void (await step(tx)));
      expect([number, await hasFactor()]).toEqual([number, !isWithout]);
    }
    expect(await hasFactor("id of berta")).toBe(false);
  });

  // Proves requirement 222.
  test("are not known at the user after both are removed at the same moment, at two processes", async () => {
    const [store, otherStore] = await withTwoStores(dialect);
    await storedApp(store);
    await addWebauthnCredential(store, storedKey("key", now));
    let other: Promise<unknown> | undefined;
    const held = beforeEachCommit(store, async (tx) => {
      other = otherStore.tx((second) => removeWebauthnCredential(second, { id: "key", userId }));
      await whenWaiting(tx);
    });
    await held.tx((tx) => removeTotpCredential(tx, userId));
    expect(await other).toBe(true);
    expect((await findUser(store, userId))?.hasFactor).toBe(false);
  });

  test("of 20 concurrent calls one consumes a step, and none consumes it or an older one again", async () => {
    const store = await withStore(dialect);
    await storedApp(store);
    const accepts = Array.from({ length: 20 }, () => consumeStep(store, userId, 101, at(1)));
    expect((await Promise.all(accepts)).filter(Boolean)).toHaveLength(1);
    expect(await findTotpCredential(store, userId)).toMatchObject({ lastStep: 101, lastUsedAt: at(1) });
    expect(await consumeStep(store, userId, 100, now)).toBe(false);
    expect(await consumeStep(store, userId, 102, now)).toBe(true);
    expect(await consumeStep(store, "nobody", 103, now)).toBe(false);
  });

  test("of 20 concurrent records of a wrong clock none is lost", async () => {
    const store = await withStore(dialect);
    await storedApp(store);
    const notes = Array.from({ length: 20 }, (_, step) =>
      store.tx((tx) => updateWrongSteps(tx, userId, (known) => ({ wrongSteps: [...known, { step, offset: 2 }] }))),
    );
    await Promise.all(notes);
    const steps = (await findTotpCredential(store, userId))?.wrongSteps.map(({ step }) => step) ?? [];
    expect(steps.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, step) => step));
    expect(await store.tx((tx) => updateWrongSteps(tx, "nobody", () => ({ wrongSteps: [] })))).toBeNull();
  });

  test("two concurrent sets of recovery codes leave one set", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    const sets = Array.from({ length: 5 }, (_, n) =>
      store.tx((tx) => replaceRecoveryCodes(tx, userId, { codeHashes: [`${n}a`, `${n}b`], now })),
    );
    await Promise.all(sets);
    expect(await countFactors(store, userId)).toMatchObject({ recoveryCodesLeft: 2 });
  });

  test("a generation is incremented once from the expected one, and never for a blocked user", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna", { generation: 4 });
    const raises = Array.from({ length: 20 }, () => incrementGeneration(store, userId, { expected: 4, now }));
    expect((await Promise.all(raises)).filter((raised) => raised !== null)).toEqual([5]);
    await setUserStatus(store, userId, "blocked", now);
    expect(await incrementGeneration(store, userId, { expected: 6, now })).toBeNull();
    expect(await findUser(store, userId)).toMatchObject({ generation: 6, status: "blocked" });
  });
});
