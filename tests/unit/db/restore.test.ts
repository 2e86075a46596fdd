import { describe, expect, test } from "vitest";
import {
  appendAuditEvent,
  findAuditHash,
  findLastAuditEvent,
  findLatestAuditTime,
  listAuditEvents,
} from "#app/db/repositories/audit-events.server.ts";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { addExternalAccount, findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { countFactors } from "#app/db/repositories/factors.server.ts";
import { ensureInstance, getInstance } from "#app/db/repositories/instance.server.ts";
import { rememberBrowser } from "#app/db/repositories/known-browsers.server.ts";
import { consumeRecoveryCode, replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import {
  clearPassword,
  clearRecoveryCodes,
  disconnectProviders,
  findClientIds,
  findUsersWithFactors,
  invalidateEverything,
  markRestoreChecked,
  putIntoService,
} from "#app/db/repositories/restore.server.ts";
import { createTotpCredential, findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUser, setUserPassword } from "#app/db/repositories/users.server.ts";
import { addWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, sealed, storedUser } from "./rows.ts";

const userId = "id of anna";

async function storedFactors(store: Store) {
  await createTotpCredential(store, { userId, sealedSecret: sealed("secret"), lastStep: 5, createdAt: now });
  await addWebauthnCredential(store, {
    ...{ id: "key", userId, rpId: "login.office.example", name: "Key", publicKeyBase64url: "AAAA", algorithm: -7 },
    ...{ counter: 3, attestationFormat: "packed", backupEligible: false, backedUp: false, createdAt: now },
  });
}

describe.each(dialects)("reconciliation of a restored database on %s", (dialect) => {
  test("finds those of a thousand users and clients that exist, with their factors", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    await storedUser(store, "Berta", { status: "blocked" });
    await storedFactors(store);
    await createClient(store, {
      ...{ id: "suite", name: "Suite", authMethod: "client_secret_basic", createdAt: now, updatedAt: now },
    });
    const missing = Array.from({ length: 1000 }, (_, index) => `missing-${index}`);
    const users = await findUsersWithFactors(store, [userId, ...missing, "id of berta"]);
    expect(users).toEqual([
      { id: userId, username: "Anna", factors: 2, isBlocked: false },
      { id: "id of berta", username: "Berta", factors: 0, isBlocked: true },
    ]);
    expect(await findClientIds(store, [...missing, "suite"])).toEqual(["suite"]);
    expect(await findClientIds(store, [])).toEqual([]);
  });

  // Proves requirement 176.
  test("removes failed mails with the waiting ones, which gatehouse mail retry would send", async () => {
    const store = await withStore(dialect);
    const { mailOutbox } = store.t;
    const mail = { kind: "password-changed", recipient: "anna@office.example", createdAt: now };
    await store.q.insert(mailOutbox).values([
      { ...mail, id: "waiting", sealedMessage: sealed("waiting"), nextAttemptAt: now },
      { ...mail, id: "failed", sealedMessage: sealed("failed"), failedAt: now },
      { ...mail, id: "sent", sealedMessage: sealed(""), sentAt: now },
    ]);
    await invalidateEverything(store, { totpStep: 0 });
    expect((await store.q.select().from(mailOutbox)).map(({ id }) => id)).toEqual(["sent"]);
  });

  test("removes a password, recovery codes and accounts at named providers, of one user only", async () => {
    const store = await withStore(dialect);
    for (const name of ["Anna", "Berta"]) {
      const { id } = await storedUser(store, name);
      await setUserPassword(store, id, { hash: "hash", how: "link", at: now });
      await store.tx((tx) => replaceRecoveryCodes(tx, id, { codeHashes: ["a", "b"], now }));
      await consumeRecoveryCode(store, id, { codeHash: "a", now });
      for (const provider of ["google", "apple"] as const)
        await addExternalAccount(store, {
          ...{ id: `${provider} of ${id}`, userId: id, provider, issuer: "https://accounts.example", subject: id },
          ...{ groupKey: "", linkedAt: now },
        });
    }
    await clearPassword(store, userId, at(1));
    await clearRecoveryCodes(store, userId);
    await disconnectProviders(store, userId, ["google"]);
    const removed = { passwordHash: null, passwordSetAt: null, passwordSetHow: null, passwordMailedAt: null };
    expect(await findUser(store, userId)).toMatchObject({ ...removed, generation: 3, updatedAt: at(1) });
    expect(await findUser(store, "id of berta")).toMatchObject({ passwordHash: "hash", generation: 2 });
    expect(await countFactors(store, userId)).toMatchObject({ recoveryCodesLeft: 0 });
    expect(await countFactors(store, "id of berta")).toMatchObject({ recoveryCodesLeft: 1 });
    expect((await findExternalAccountsOfUser(store, userId)).map(({ provider }) => provider)).toEqual(["apple"]);
    await disconnectProviders(store, userId, []);
    expect(await findExternalAccountsOfUser(store, userId)).toEqual([]);
    expect(await findExternalAccountsOfUser(store, "id of berta")).toHaveLength(2);
  });

  test("invalidates what was issued, and codes up to the given step", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    await storedFactors(store);
    await rememberBrowser(store, { userId, browserHash: "browser", now });
    await invalidateEverything(store, { totpStep: 4 });
    expect(await findTotpCredential(store, userId)).toMatchObject({ lastStep: 5 });
    await invalidateEverything(store, { totpStep: 9 });
    expect(await findTotpCredential(store, userId)).toMatchObject({ lastStep: 9, wrongSteps: [] });
    expect(await store.q.$count(store.t.knownBrowsers)).toBe(0);
    expect(await findUser(store, userId)).not.toBeNull();
  });

  test("stores the new epoch, issuer and rpId", async () => {
    const store = await withStore(dialect);
    await ensureInstance(store, {
      keyFingerprint: "f",
      issuer: "https://old.example",
      rpId: "old.example",
      createdAt: now,
    });
    const after = { epoch: 7, issuer: "https://new.example", rpId: "new.example" };
    await putIntoService(store, { ...after, uncheckedAt: null });
    expect(await getInstance(store)).toMatchObject({ ...after, keyFingerprint: "f" });
  });

  test("a restore with unknown changes is checked once, and a complete one does not end that", async () => {
    const store = await withStore(dialect);
    const address = { issuer: "https://login.example", rpId: "login.example" };
    await ensureInstance(store, { keyFingerprint: "f", ...address, createdAt: now });
    expect(await markRestoreChecked(store)).toBe(false);
    await putIntoService(store, { ...address, epoch: 2, uncheckedAt: now });
    await putIntoService(store, { ...address, epoch: 3, uncheckedAt: null });
    expect(await getInstance(store)).toMatchObject({ epoch: 3, uncheckedRestoreAt: now });
    const both = await Promise.all([markRestoreChecked(store), markRestoreChecked(store)]);
    expect(both.sort()).toEqual([false, true]);
    expect(await getInstance(store)).toMatchObject({ uncheckedRestoreAt: null });
  });

  test("reads the audit trail: the hash of an event, the last one of a type, and the latest time", async () => {
    const store = await withStore(dialect);
    expect([await findLastAuditEvent(store), await findLatestAuditTime(store), await findAuditHash(store, 1)]).toEqual([
      null,
      null,
      null,
    ]);
    const metadata = {
      userId: null,
      clientId: null,
      address: null,
      requestId: null,
      outcome: "ok",
      detail: {},
    } as const;
    for (const [type, ms] of [
      ["user.added", 5],
      ["user.changed", 9],
      ["user.added", 7],
    ] as const)
      await appendAuditEvent(store, { at: at(ms), type, ...metadata });
    const [first, second, third] = await listAuditEvents(store, { after: 0, limit: 10 });
    expect(await findAuditHash(store, second?.sequence ?? 0)).toBe(second?.hash);
    expect(await findLastAuditEvent(store)).toEqual(third);
    expect(await findLastAuditEvent(store, "user.changed")).toEqual(second);
    expect(await findLastAuditEvent(store, "user.removed")).toBeNull();
    expect(await findLatestAuditTime(store)).toEqual(at(9));
    expect(first?.previousHash).toBe("");
  });
});
