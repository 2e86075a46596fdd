import { isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { findRecordByUid, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { SESSION_MAX_SECONDS } from "#app/domain/engine-session/lifetime.ts";
import { endOtherSessions, endOwnSession } from "#app/domain/session/end.server.ts";
import { listOwnSessions } from "#app/domain/session/list.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings, putSession } from "#tests/unit/domain/access/settings-fixtures.ts";
import { heldModels, isOpen, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { type Installation, putUser } from "#tests/unit/domain/fixtures.ts";

/** Anna is signed in with two browsers, Berta with one. */
async function openSettingsWithSessions(dialect: Dialect) {
  const opened = await openedSettings(dialect);
  const { parts: deps, user, store } = opened;
  const other = await openSettings(deps, user);
  const berta = await openSettings(deps, await putUser(store, { username: "berta" }));
  return { ...opened, other, berta };
}

/** Returns the ids of the engine records but sessions. */
async function heldIds({ store }: Pick<Installation, "store">): Promise<string[]> {
  const { oidcRecords } = store.t;
  const rows = await store.q
    .select({ id: oidcRecords.id, model: oidcRecords.model })
    .from(oidcRecords)
    .where(isNull(oidcRecords.destroyedAt));
  return rows.flatMap(({ id, model }) => (model === "Session" ? [] : [id])).sort();
}

function idsOf(...uids: (string | null)[]): string[] {
  return uids.flatMap((uid) => [`AccessToken of ${uid}`, `RefreshToken of ${uid}`, `grant of ${uid}`]).sort();
}

describe.each(dialects)("the list of sessions on %s", (dialect) => {
  it("lists this one first, with applications, times, browser and address, and none of other users", async () => {
    const { parts: deps, store, user, access, other } = await openSettingsWithSessions(dialect);
    const at = deps.clock.now();
    await createClient(store, { id: "suite", name: "Suite", authMethod: "none", createdAt: at, updatedAt: at });
    const record = await findRecordByUid(store, "Session", other.sessionUid ?? "");
    if (!record) throw new Error("there is no session");
    const userAgent = "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0";
    const visit = { at: at.getTime() / 1000 + 60, address: "198.51.100.7", userAgent };
    await saveRecord(store, { ...record, payload: { ...record.payload, visit } });
    const since = new Date(Math.floor(at.getTime() / 1000) * 1000);
    const applications = ["Suite"];
    expect(await listOwnSessions(deps, access)).toEqual([
      {
        ...{ id: access.sessionUid, isThis: true, applications, since, lastUsedAt: since },
        ...{ browser: { name: null, system: null }, address: "" },
      },
      {
        ...{ id: other.sessionUid, isThis: false, applications, since, lastUsedAt: new Date(visit.at * 1000) },
        ...{ browser: { name: "Firefox", system: "Windows" }, address: "198.51.100.7" },
      },
    ]);
    expect(await listOwnSessions(deps, { ...access, generation: user.generation + 1 })).toEqual([]);
  });

  it("omits an expired session", async () => {
    const { parts: deps, user, access } = await openSettingsWithSessions(dialect);
    deps.clock.advance(2 * 60 * 60);
    expect(await listOwnSessions(deps, access)).toEqual([]);
    await putSession(deps, user, "busy");
    expect(await listOwnSessions(deps, access)).toMatchObject([{ id: "busy", isThis: false }]);
    expect(SESSION_MAX_SECONDS).toBe(12 * 60 * 60);
  });
});

describe.each(dialects)("ending a session on %s", (dialect) => {
  it("ends that one only, with its tokens and its settings", async () => {
    const { parts: deps, store, access, other, berta } = await openSettingsWithSessions(dialect);
    const { sessionUid: id } = other;
    const payload = { sessionUid: id };
    const older = { accountId: access.userId, clientId: "suite", grantId: "an older grant", payload };
    await saveRecord(store, { model: "RefreshToken", id: "older", ...older });
    const ended = await endOwnSession(deps, access, { ...METADATA, id: id ?? "" });
    expect(ended).toEqual({ kind: "done" });
    expect(await findRecordByUid(store, "Session", id ?? "")).toBeNull();
    expect(await heldIds(deps)).toEqual(idsOf(access.sessionUid, berta.sessionUid));
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, berta)).toBe(true);
    expect(await store.q.$count(store.t.manageSessions)).toBe(2);
    expect(await store.q.$count(store.t.manageChains)).toBe(2);
    expect(await storedEvents(store)).toEqual(["session.ended"]);
  });

  it("is refused for another user's, an unknown and an expired one", async () => {
    const { parts: deps, store, access, other, berta } = await openSettingsWithSessions(dialect);
    const none = { kind: "session not found" };
    for (const id of [berta.sessionUid ?? "", "nobody", "", "a\0b"])
      expect(await endOwnSession(deps, access, { ...METADATA, id })).toEqual(none);
    const id = other.sessionUid ?? "";
    const ends = await Promise.all([1, 2, 3].map(() => endOwnSession(deps, access, { ...METADATA, id })));
    expect(ends.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(ends.filter(({ kind }) => kind === "session not found")).toHaveLength(2);
    expect(await isOpen(store, berta)).toBe(true);
  });

  it("except this one keeps its tokens and its settings only", async () => {
    const { parts: deps, store, user, access, other, berta } = await openSettingsWithSessions(dialect);
    const offline = { accountId: user.id, clientId: "suite", grantId: "of a session that is over", payload: {} };
    await saveRecord(store, { model: "RefreshToken", id: "offline", ...offline });
    const ended = await endOtherSessions(deps, access, METADATA);
    expect(ended).toEqual({ kind: "done" });
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation + 1 });
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await isOpen(store, berta)).toBe(true);
    expect(await heldIds(deps)).toEqual(idsOf(access.sessionUid, berta.sessionUid));
    expect(await storedEvents(store)).toEqual(["session.ended"]);
    expect(await endOtherSessions(deps, access, METADATA)).toEqual({ kind: "unauthorized" });
  });

  it("except this one, from settings without a session, ends every session", async () => {
    const { parts: deps, store, user, access, berta } = await openSettingsWithSessions(dialect);
    const ended = await endOtherSessions(deps, { ...access, sessionUid: null }, METADATA);
    expect(ended).toEqual({ kind: "done" });
    const generation = user.generation + 1;
    expect(await listOwnSessions(deps, { ...access, generation })).toEqual([]);
    expect(await heldIds(deps)).toEqual(idsOf(berta.sessionUid));
    expect(await isOpen(store, berta)).toBe(true);
  });
});

describe("ending a session", () => {
  it("is refused for stale settings and a blocked user", async () => {
    const { parts: deps, user, store, access, other } = await openSettingsWithSessions("sqlite");
    const id = access.sessionUid ?? "";
    await endOtherSessions(deps, access, METADATA);
    expect(await endOwnSession(deps, other, { ...METADATA, id })).toEqual({ kind: "unauthorized" });
    expect(await endOtherSessions(deps, other, METADATA)).toEqual({ kind: "unauthorized" });
    await blockUser(deps, user.username);
    const current = { ...access, generation: user.generation + 1 };
    expect(await endOwnSession(deps, current, { ...METADATA, id })).toEqual({ kind: "unauthorized" });
    expect((await heldModels(store)).length).toBe(3);
  });
});
