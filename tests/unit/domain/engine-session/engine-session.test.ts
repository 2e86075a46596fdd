import { describe, expect, it } from "vitest";
import { findRecordByUid, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import {
  findSessionMethods,
  isSessionAlive,
  listLiveSessions,
  moveSessions,
} from "#app/domain/engine-session/engine-session.server.ts";
import { SESSION_MAX_SECONDS } from "#app/domain/engine-session/lifetime.ts";
import { acrOf, REMEMBERED_DEVICE, withFactors } from "#app/domain/engine-session/subject.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation, secondsOf } from "#tests/unit/domain/fixtures.ts";

/** Creates an installation; `put` stores a session of Anna in generation 1, which was signed in now. */
async function sessions(dialect: (typeof dialects)[number]) {
  const deps = installation(await withStore(dialect));
  const { store, clock } = deps;
  async function put(uid: string, payload: Record<string, number> = {}, expiresInSeconds = 60) {
    const expiresAt = new Date(clock.now().getTime() + expiresInSeconds * 1000);
    const fields = { accountId: "anna", generation: 1, loginTs: secondsOf(deps), amr: ["pwd"], ...payload };
    await saveRecord(store, {
      model: "Session",
      id: `cookie of ${uid}`,
      uid,
      accountId: "anna",
      payload: fields,
      expiresAt,
    });
  }
  const live = async (generation = 1) =>
    (await listLiveSessions(store, { userId: "anna", generation, now: clock.now() })).map(({ uid }) => uid).sort();
  const isAlive = (uid: string, user = { userId: "anna", generation: 1 }) => isSessionAlive(deps, uid, user);
  return { deps, store, clock, put, live, isAlive };
}

describe.each(dialects)("a session of the engine on %s", (dialect) => {
  it("is alive for its user and generation alone", async () => {
    const { put, live, isAlive } = await sessions(dialect);
    await put("one");
    expect([await live(), await live(2)]).toEqual([["one"], []]);
    expect(await isAlive("one")).toBe(true);
    expect(await isAlive("one", { userId: "anna", generation: 2 })).toBe(false);
    expect(await isAlive("one", { userId: "berta", generation: 1 })).toBe(false);
    expect(await isAlive("none")).toBe(false);
  });

  it("ends with its idle time, and twelve hours after the sign-in however often it was used or proven again", async () => {
    const { deps, clock, put, live, isAlive } = await sessions(dialect);
    await put("idle", {}, 1);
    const signedInAt = secondsOf(deps);
    const year = 365 * 24 * 60 * 60;
    await put("old", { signedInAt, loginTs: signedInAt + SESSION_MAX_SECONDS - 1 }, year);
    clock.advance(1);
    expect([await isAlive("idle"), await isAlive("old")]).toEqual([false, true]);
    clock.advance(SESSION_MAX_SECONDS - 1);
    expect([await live(), await isAlive("old")]).toEqual([[], false]);
  });

  it("is moved to a new generation alone, with the factor that was proven; other generations stay behind", async () => {
    const { store, clock, put, live } = await sessions(dialect);
    for (const uid of ["this", "other"]) await put(uid);
    await put("ended", { generation: 0 });
    const move = { userId: "anna", from: 1, to: 2, now: clock.now() };
    await moveSessions(store, { ...move, uid: "this", proven: "otp" });
    expect([await live(1), await live(2)]).toEqual([["other"], ["this"]]);
    const moved = await findRecordByUid(store, "Session", "this");
    expect(moved?.payload).toMatchObject({ amr: ["pwd", "otp", "mfa"], acr: acrOf(["mfa"]) });
    expect(await findSessionMethods(store, "other")).toEqual(["pwd"]);
    await moveSessions(store, { ...move, to: 3, uid: null, proven: null });
    expect(await live(3)).toEqual(["other"]);
    expect(await findSessionMethods(store, "other")).toEqual(["pwd"]);
  });

  it("that does not exist has no methods", async () => {
    const { store } = await sessions(dialect);
    expect(await findSessionMethods(store, "none")).toEqual([]);
  });
});

describe("the methods of a sign-in", () => {
  it("contain each factor once, and a given factor replaces a remembered device", () => {
    const given = withFactors(["pwd", REMEMBERED_DEVICE], ["otp"]);
    expect(given).toEqual(["pwd", "otp", "mfa"]);
    expect(withFactors(given, ["otp"])).toEqual(given);
  });

  it("have two factors only with `mfa`: a remembered device is none", () => {
    expect(acrOf(["pwd", REMEMBERED_DEVICE])).toBe("urn:gatehouse:acr:password");
    expect(acrOf(["pwd", "otp", "mfa"])).toBe("urn:gatehouse:acr:mfa");
  });
});
