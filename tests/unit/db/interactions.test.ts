import { describe, expect, test } from "vitest";
import { finishInteraction, replaceInteraction } from "#app/db/repositories/interactions.server.ts";
import { findRecord, findRecordByUid, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now } from "./rows.ts";

/** Contains characters that are valid in a request but not in PostgreSQL's JSON operators. */
const readPayload = { params: { state: "a\0b \u2028 \ud800" }, session: { uid: "s" } };
const payload = { params: readPayload.params, result: { login: { accountId: "anna" } } };

async function withInteraction(dialect: (typeof dialects)[number], changes: object = {}) {
  const store = await withStore(dialect);
  const record = { model: "Interaction", id: "i", payload: readPayload, uid: "u", grantId: "g", expiresAt: at(60_000) };
  await saveRecord(store, { ...record, ...changes });
  return store;
}

describe.each(dialects)("an interaction on %s", (dialect) => {
  test("is completed by one of several concurrent callers", async () => {
    const store = await withInteraction(dialect);
    const results = await Promise.all(
      ["anna", "bernd", "carla"].map((accountId) =>
        replaceInteraction(store, "i", {
          readPayload,
          payload: { ...payload, result: { login: { accountId } } },
          now,
        }),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    const winner = ["anna", "bernd", "carla"][results.indexOf(true)];
    expect((await findRecord(store, "Interaction", "i"))?.payload).toMatchObject({
      result: { login: { accountId: winner } },
    });
  });

  test("is not completed if it is unknown, expired or finished", async () => {
    const store = await withInteraction(dialect);
    const change = { readPayload, payload, now };
    expect(await replaceInteraction(store, "unknown", change)).toBe(false);
    expect(await replaceInteraction(store, "i", { ...change, now: at(60_000) })).toBe(false);
    await finishInteraction(store, "i", { payload: readPayload, consumedAt: now, expiresAt: at(90_000) });
    expect(await replaceInteraction(store, "i", change)).toBe(false);
  });

  test("is finished once, stores the given payload, and is not found by other keys afterwards", async () => {
    const store = await withInteraction(dialect);
    const finishedRecord = { payload: { params: {} }, consumedAt: now, expiresAt: at(9) };
    const finished = await Promise.all([1, 2, 3].map(() => finishInteraction(store, "i", finishedRecord)));
    expect(finished.filter(Boolean)).toHaveLength(1);
    expect(await findRecord(store, "Interaction", "i")).toMatchObject({ ...finishedRecord, grantId: null });
    expect(await findRecordByUid(store, "Interaction", "u")).toBeNull();
    expect(await finishInteraction(store, "unknown", finishedRecord)).toBe(false);
    expect(await findRecord(store, "Interaction", "unknown")).toBeNull();
  });
});
