import { getTableColumns, getTableName } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { ensureInstance, getInstance } from "#app/db/repositories/instance.server.ts";
import { addOutboxMail } from "#app/db/repositories/mail-outbox.server.ts";
import { SEALED_COLUMNS } from "#app/db/repositories/sealed-columns.server.ts";
import { insertSigningKey } from "#app/db/repositories/signing-keys.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { countSealedRows, reencryptSecrets } from "#app/domain/instance/reencrypt.server.ts";
import { createSecrets, type Secrets, sealedBy } from "#app/domain/secret/secrets.server.ts";
import { findTotp, startTotp } from "#app/domain/totp/set-up.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock, putUser, random, recordingLog } from "#tests/unit/domain/fixtures.ts";

const OLD = "old-0123456789abcdefghijklmnopqr";
const NEW = "new-0123456789abcdefghijklmnopqr";
const old = createSecrets({ secretKeys: [OLD], epoch: 1 });
const both = createSecrets({ secretKeys: [NEW, OLD], epoch: 1 });
const fresh = createSecrets({ secretKeys: [NEW], epoch: 1 });

const at = new Date("2026-03-01T00:00:00.000Z");

function contextOf(store: Store, secrets: Secrets) {
  return { store, secrets, clock: fixedClock(), random, log: recordingLog().log };
}

/** Creates `users` users with an authenticator app each, and one row of every other kind with a sealed secret. */
async function sealedDatabase(store: Store, users = 1) {
  const { fingerprint: keyFingerprint } = old;
  await ensureInstance(store, { keyFingerprint, issuer: "http://localhost", rpId: "localhost", createdAt: at });
  for (let count = 0; count < users; count += 1) {
    const { id: userId } = await putUser(store, { username: `person-${count}` });
    const sealedSecret = await old.seal("totp", `totp-${count}`);
    await store.q.insert(store.t.totpCredentials).values({ userId, sealedSecret, lastStep: 0, createdAt: at });
  }
  const times = { createdAt: at, updatedAt: at };
  const secret = await old.seal("client-secret", "client-1");
  await createClient(store, {
    id: "desk",
    name: "D",
    authMethod: "client_secret_basic",
    sealedSecret: secret,
    ...times,
  });
  await createClient(store, { id: "phone", name: "P", authMethod: "none", public: true, ...times });
  const sealedJwk = await old.seal("signing-key", "key-1");
  await insertSigningKey(store, { kid: "k", alg: "RS256", state: "current", sealedJwk, createdAt: at });
  const mail = { kind: "test", recipient: "a@example.com", createdAt: at };
  await addOutboxMail(store, { ...mail, id: "waits", sealedMessage: await old.seal("mail", "mail-1") });
  await addOutboxMail(store, { ...mail, id: "sent", sealedMessage: EMPTY });
}

// Sent mails have an empty message.
const EMPTY = "" as Awaited<ReturnType<Secrets["seal"]>>;

async function everything(store: Store) {
  const columns = Object.values(SEALED_COLUMNS);
  const lists = await Promise.all(columns.map((place) => place.list(store, { after: "", limit: 1_000 })));
  return lists.flat();
}

describe.each(dialects)("re-encryption with a new key on %s", (dialect) => {
  // Proves requirement 33.
  test("reseals every value, so that the new key alone decrypts it", async () => {
    const store = await withStore(dialect);
    await sealedDatabase(store, 3);
    expect(await countSealedRows({ store })).toBe(6);
    expect(await reencryptSecrets(contextOf(store, both))).toEqual({
      ...{ reencrypted: 6, current: 0, unreadable: [], finished: true },
    });
    const opened = await Promise.all(
      Object.values(SEALED_COLUMNS).map(async (place) => {
        const rows = await place.list(store, { after: "", limit: 100 });
        return Promise.all(rows.map(({ sealed }) => fresh.open(place.purpose, sealed)));
      }),
    );
    expect(opened.flat().toSorted()).toEqual(["client-1", "key-1", "mail-1", "totp-0", "totp-1", "totp-2"]);
    expect(await getInstance(store)).toMatchObject({ keyFingerprint: fresh.fingerprint });
  });

  test("includes an app that is being set up", async () => {
    const store = await withStore(dialect);
    await sealedDatabase(store, 1);
    const { id: userId } = await putUser(store, { username: "anna" });
    const place = { slot: "s", userId, generation: 1 };
    const { secretBase32 } = await startTotp(contextOf(store, old), place);
    await reencryptSecrets(contextOf(store, both));
    expect(await findTotp(contextOf(store, fresh), place)).toMatchObject({ secretBase32, wrongSteps: [] });
  });

  test("continues where it was stopped, and stores the new fingerprint only at the end", async () => {
    const store = await withStore(dialect);
    await sealedDatabase(store, 120);
    let pages = 0;
    const isStopped = () => {
      pages += 1;
      return pages > 2;
    };
    const first = await reencryptSecrets(contextOf(store, both), { isStopped });
    expect(first).toMatchObject({ reencrypted: 100, finished: false });
    expect(await getInstance(store)).toMatchObject({ keyFingerprint: old.fingerprint });
    expect(await reencryptSecrets(contextOf(store, both))).toMatchObject({
      reencrypted: 23,
      current: 100,
      finished: true,
    });
    expect(await reencryptSecrets(contextOf(store, both))).toMatchObject({
      reencrypted: 0,
      current: 123,
      finished: true,
    });
    expect((await everything(store)).every(({ sealed }) => sealedBy(sealed) === fresh.fingerprint)).toBe(true);
  });

  test("lists undecryptable rows, re-encrypts the others, and reports that older keys are still needed", async () => {
    const store = await withStore(dialect);
    await sealedDatabase(store, 1);
    const otherSecrets = createSecrets({ secretKeys: ["s".repeat(32)], epoch: 1 });
    const { id: userId } = await putUser(store, { username: "clara" });
    const sealedSecret = await otherSecrets.seal("totp", "lost");
    await store.q.insert(store.t.totpCredentials).values({ userId, sealedSecret, lastStep: 0, createdAt: at });
    expect(await reencryptSecrets(contextOf(store, both))).toEqual({
      ...{ reencrypted: 4, current: 0, finished: false },
      unreadable: [{ place: "totp_credentials", key: userId, fingerprint: otherSecrets.fingerprint }],
    });
    expect(await getInstance(store)).toMatchObject({ keyFingerprint: old.fingerprint });
  });

  test("loses no concurrent change", async () => {
    const store = await withStore(dialect);
    await sealedDatabase(store, 1);
    const sealed = await both.seal("client-secret", "client-2");
    const place = SEALED_COLUMNS["clients"];
    const [row] = (await place?.list(store, { after: "", limit: 1 })) ?? [];
    if (!place || !row) throw new Error("there is no sealed client");
    await store.q.update(store.t.clients).set({ sealedSecret: sealed });
    const late = await old.seal("client-secret", "client-1");
    expect(await place.replace(store, { key: row.key, expected: row.sealed, sealed: late })).toBe(false);
    expect((await place.list(store, { after: "", limit: 1 }))[0]?.sealed).toBe(sealed);
  });

  test("covers every sealed column", async () => {
    const store = await withStore(dialect);
    const sealedTables = Object.values(store.t).filter((table) =>
      Object.keys(getTableColumns(table)).some((name) => name.startsWith("sealed")),
    );
    const names = new Set(sealedTables.map(getTableName));
    // Successors of refresh tokens are valid for 10 s and are sealed with a key that also needs the old token
    // (oidc/refresh-successor.server.ts).
    expect(names.delete(getTableName(store.t.oidcRecords))).toBe(true);
    // The payload of one kind of one-time token is sealed.
    names.add(getTableName(store.t.oneTimeTokens));
    expect(new Set(Object.keys(SEALED_COLUMNS))).toEqual(names);
  });
});
