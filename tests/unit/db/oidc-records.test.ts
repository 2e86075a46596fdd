import { describe, expect, test } from "vitest";
import { listAllEngineSessions } from "#app/db/repositories/engine-sessions.server.ts";
import {
  consumeRecord,
  findRecord,
  findRecordByUid,
  findSession,
  type RecordToSave,
  removeExpiredRecords,
  removeRecord,
  removeRecordsOfAccount,
  removeRecordsOfGrant,
  saveRecord,
} from "#app/db/repositories/oidc-records.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now } from "./rows.ts";

function code(id: string, fields: Partial<RecordToSave> = {}): RecordToSave {
  return { model: "AuthorizationCode", id, payload: { jti: id }, expiresAt: at(60_000), ...fields };
}

describe.each(dialects)("records of the engine on %s", (dialect) => {
  test("a record is read as saved, with every character that a request can contain", async () => {
    const store = await withStore(dialect);
    const payload = { params: { state: "a\0b \u2028 \ud800 👍", zeta: 1, alpha: [true, null, { deep: "" }] }, iat: 1 };
    await saveRecord(store, code("c", { payload, grantId: "g", accountId: "a", clientId: "cl", uid: "u" }));
    expect(await findRecord(store, "AuthorizationCode", "c")).toEqual({
      model: "AuthorizationCode",
      id: "c",
      payload,
      grantId: "g",
      accountId: "a",
      clientId: "cl",
      userCode: null,
      uid: "u",
      expiresAt: at(60_000),
      consumedAt: null,
      destroyedAt: null,
      sealedSuccessor: null,
    });
  });

  test("live sessions of all users are listed by id, in pages", async () => {
    const store = await withStore(dialect);
    const session = (id: string, fields: Partial<RecordToSave> = {}) =>
      saveRecord(store, code(id, { model: "Session", accountId: "anna", ...fields }));
    for (const id of ["c", "a", "b"]) await session(id);
    await session("signed out", { accountId: null });
    await session("expired", { expiresAt: at(-1) });
    await saveRecord(store, code("code", { accountId: "anna" }));
    const list = async (after: string) =>
      (await listAllEngineSessions(store, { now, after, limit: 2 })).map(({ id }) => id);
    expect([await list(""), await list("b"), await list("c")]).toEqual([["a", "b"], ["c"], []]);
  });

  test("a record belongs to its model", async () => {
    const store = await withStore(dialect);
    await saveRecord(store, code("c", { uid: "u" }));
    expect(await findRecord(store, "AccessToken", "c")).toBeNull();
    expect(await findRecordByUid(store, "Session", "u")).toBeNull();
    expect(await findRecordByUid(store, "AuthorizationCode", "u")).toMatchObject({ id: "c" });
  });

  test("an id that no database can store finds nothing, without an error", async () => {
    const store = await withStore(dialect);
    expect(await findRecord(store, "AuthorizationCode", "a\0b")).toBeNull();
    expect(await findRecordByUid(store, "Session", "\0")).toBeNull();
  });

  test("saving again replaces everything, but a consumed record stays consumed", async () => {
    const store = await withStore(dialect);
    await saveRecord(store, code("c", { grantId: "g", uid: "u" }));
    expect(await consumeRecord(store, "AuthorizationCode", "c", now)).toBe(true);
    await saveRecord(store, code("c", { payload: { second: true }, expiresAt: null }));
    expect(await findRecord(store, "AuthorizationCode", "c")).toMatchObject({
      payload: { second: true },
      grantId: null,
      uid: null,
      expiresAt: null,
      consumedAt: now,
    });
    expect(await consumeRecord(store, "AuthorizationCode", "c", at(1))).toBe(false);
  });

  test("of twenty concurrent calls that consume one code, one succeeds", async () => {
    const store = await withStore(dialect);
    await saveRecord(store, code("c"));
    const tries = Array.from({ length: 20 }, () => consumeRecord(store, "AuthorizationCode", "c", now));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
  });

  test("of twenty concurrent transactions that consume one code, one succeeds", async () => {
    const store = await withStore(dialect);
    await saveRecord(store, code("c"));
    const tries = Array.from({ length: 20 }, () => store.tx((tx) => consumeRecord(tx, "AuthorizationCode", "c", now)));
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
  });

  test("a removed record cannot be consumed", async () => {
    const store = await withStore(dialect);
    await saveRecord(store, code("c"));
    await removeRecord(store, "AuthorizationCode", "c");
    await removeRecord(store, "AuthorizationCode", "c");
    expect(await consumeRecord(store, "AuthorizationCode", "c", now)).toBe(false);
  });

  test("twenty concurrent saves of one session leave one row", async () => {
    const store = await withStore(dialect);
    const save = (count: number) => saveRecord(store, { model: "Session", id: "s", payload: { count }, uid: "u" });
    await Promise.all(Array.from({ length: 20 }, (_, index) => save(index)));
    expect(await store.q.$count(store.t.oidcRecords)).toBe(1);
  });

  test("removing a grant removes its records, model by model", async () => {
    const store = await withStore(dialect);
    for (const [model, id, grantId] of [
      ["AccessToken", "1", "g"],
      ["AccessToken", "2", "g"],
      ["AccessToken", "3", "other"],
      ["RefreshToken", "4", "g"],
    ] as const) {
      await saveRecord(store, { model, id, payload: {}, grantId });
    }
    await removeRecordsOfGrant(store, "AccessToken", "g");
    expect(await remaining()).toEqual(["3", "4"]);

    async function remaining() {
      return (await store.q.select().from(store.t.oidcRecords)).map((row) => row.id).sort();
    }
  });

  test("a user's records are removed by model", async () => {
    const store = await withStore(dialect);
    for (const model of ["Session", "AccessToken", "Interaction"]) {
      await saveRecord(store, { model, id: "of anna", payload: {}, accountId: "anna" });
      await saveRecord(store, { model, id: "of bert", payload: {}, accountId: "bert" });
    }
    expect(await removeRecordsOfAccount(store, "anna", ["Session", "AccessToken"])).toBe(2);
    expect(await removeRecordsOfAccount(store, "anna", ["Session", "AccessToken"])).toBe(0);
    expect(await findSession(store, "of anna")).toBeNull();
    // The session leaves a tombstone.
    expect(await store.q.$count(store.t.oidcRecords)).toBe(5);
  });

  test("expired records are removed in batches, except those of a model that is kept longer", async () => {
    const store = await withStore(dialect);
    for (let index = 0; index < 7; index++) await saveRecord(store, code(`old ${index}`, { expiresAt: at(-index) }));
    await saveRecord(store, code("living", { expiresAt: at(1) }));
    await saveRecord(store, code("endless", { expiresAt: null }));
    await saveRecord(store, { model: "Interaction", id: "kept", payload: {}, expiresAt: at(-100) });
    const batch = () =>
      removeExpiredRecords(store, { before: now, batchSize: 3, except: { model: "Interaction", maxLength: 4096 } });
    expect([await batch(), await batch(), await batch(), await batch()]).toEqual([3, 3, 1, 0]);
    expect(await removeExpiredRecords(store, { before: at(-101), batchSize: 3 })).toBe(0);
    expect(await removeExpiredRecords(store, { after: at(-100), before: now, batchSize: 3 })).toBe(0);
    expect(await removeExpiredRecords(store, { after: at(-101), before: at(-100), batchSize: 3 })).toBe(1);
    expect((await store.q.select().from(store.t.oidcRecords)).map((row) => row.id).sort()).toEqual([
      "endless",
      "living",
    ]);
  });
});
