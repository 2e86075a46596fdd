import { describe, expect, it } from "vitest";
import { findUser, updateUserProfile } from "#app/db/repositories/users.server.ts";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { changeUsername, USERNAME_LIMIT } from "#app/domain/account/change-username.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings, openSettings, putToken } from "#tests/unit/domain/access/settings-fixtures.ts";
import { isOpen, pendingKinds, queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { putUser } from "#tests/unit/domain/fixtures.ts";

function typed(username: string) {
  return { ...METADATA, username };
}

describe.each(dialects)("changing the user name on %s", (dialect) => {
  // Proves requirement 23.
  it("keeps this session, ends the others, invalidates mailed links, and notifies the user", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const other = await openSettings(deps, user);
    await putToken(deps, user, "password-reset");
    expect(await changeUsername(deps, access, typed(" Anna.Berg "))).toEqual({ kind: "done" });
    const fields = { username: "Anna.Berg", usernameCanonical: "anna.berg", generation: user.generation + 1 };
    expect(await findUser(store, user.id)).toMatchObject(fields);
    expect(await isOpen(store, access)).toBe(true);
    expect(await isOpen(store, other)).toBe(false);
    expect(await pendingKinds(store)).toEqual(["not-me"]);
    expect(await queuedMails(store)).toEqual(["username-changed"]);
    expect(await storedEvents(store)).toEqual(["username.changed"]);
  });

  // Proves requirement 20.
  it("is refused if another user has the name in any spelling: nothing changes", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    await putUser(store, { username: "Straßer" });
    await putToken(deps, user, "password-reset");
    const refused = { kind: "refused", code: "username not available" };
    expect(await changeUsername(deps, access, typed("STRAßER"))).toEqual(refused);
    expect(await findUser(store, user.id)).toEqual(user);
    expect(await isOpen(store, access)).toBe(true);
    expect(await pendingKinds(store)).toEqual(["password-reset"]);
    expect(await queuedMails(store)).toEqual([]);
  });

  // Proves requirement 152.
  it("is refused if the name is another user's verified address, and reveals that five times an hour", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    await putUser(store, { username: "bernd", email: "Bernd@office.example", emailVerified: true });
    const refused = { kind: "refused", code: "username not available" };
    for (let n = 0; n < USERNAME_LIMIT.points; n += 1)
      expect(await changeUsername(deps, access, typed("BERND@office.example"))).toEqual(refused);
    expect(await changeUsername(deps, access, typed("bernd@office.example"))).toMatchObject({ kind: "throttled" });
    expect(await findUser(store, user.id)).toEqual(user);
  });

  it.each(["anna@office.example", "carla@office.example"])(
    "may be the user's own address, or one that is verified for no other user: %s",
    async (name) => {
      const { parts: deps, store, user, access } = await openedSettings(dialect);
      await updateUserProfile(store, user.id, { email: "anna@office.example", emailVerified: true }, deps.clock.now());
      await putUser(store, { username: "carla", email: "carla@office.example" });
      expect(await changeUsername(deps, access, typed(name))).toEqual({ kind: "done" });
    },
  );

  it("gives one name to one of two simultaneous users", async () => {
    const { parts: deps, store, access } = await openedSettings(dialect);
    const bernd = await openSettings(deps, await putUser(store, { username: "bernd" }));
    const kinds = await Promise.all([access, bernd].map((one) => changeUsername(deps, one, typed("chris"))));
    expect(kinds.map(({ kind }) => kind).sort()).toEqual(["done", "refused"]);
  });

  it("of many simultaneous calls from one page succeeds once", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const names = ["one", "two", "three", "four"];
    const changes = await Promise.all(names.map((name) => changeUsername(deps, access, typed(name))));
    expect(changes.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(await findUser(store, user.id)).toMatchObject({ generation: user.generation + 1 });
    expect(await queuedMails(store)).toEqual(["username-changed"]);
  });
});

describe("changing the user name", () => {
  it("returns the problem of a name", async () => {
    const { parts: deps, access } = await openedSettings("sqlite");
    expect(await changeUsername(deps, access, typed("  "))).toEqual({ kind: "refused", code: "username is empty" });
    for (const name of ["anna berg", "аnna", "a\0b", "x".repeat(65)])
      expect(await changeUsername(deps, access, typed(name))).toEqual({
        kind: "refused",
        code: "username is invalid",
      });
  });

  it("accepts another spelling of the own name, and an unchanged one", async () => {
    const { parts: deps, store, user, access } = await openedSettings("sqlite");
    expect(await changeUsername(deps, access, typed("anna"))).toEqual({ kind: "done" });
    expect(await findUser(store, user.id)).toEqual(user);
    expect(await changeUsername(deps, access, typed("Anna"))).toEqual({ kind: "done" });
    expect(await findUser(store, user.id)).toMatchObject({ username: "Anna", usernameCanonical: "anna" });
  });

  it("reveals to 20 simultaneous calls no more than five times if a name is taken", async () => {
    const { parts: deps, store, access } = await openedSettings("sqlite");
    await putUser(store, { username: "bernd" });
    const changes = await Promise.all(Array.from({ length: 20 }, () => changeUsername(deps, access, typed("bernd"))));
    expect(changes.filter(({ kind }) => kind === "refused")).toHaveLength(USERNAME_LIMIT.points);
    expect(changes.filter(({ kind }) => kind === "throttled")).toHaveLength(20 - USERNAME_LIMIT.points);
  });

  // Proves requirement 20.
  it("reveals five times an hour if a name is taken", async () => {
    const { parts: deps, store, access } = await openedSettings("sqlite");
    await putUser(store, { username: "bernd" });
    for (let n = 0; n < USERNAME_LIMIT.points; n += 1)
      expect(await changeUsername(deps, access, typed("bernd"))).toMatchObject({ kind: "refused" });
    const throttled = { kind: "throttled", retryAfterSeconds: USERNAME_LIMIT.windowSeconds };
    expect(await changeUsername(deps, access, typed("free"))).toEqual(throttled);
    expect(await storedEvents(store)).toEqual([]);
  });

  // Proves requirement 54.
  it("is refused for stale settings, a blocked user, and without a recent proof of identity", async () => {
    const { parts: deps, user, access } = await openedSettings("sqlite");
    const stale = await openSettings(deps, user);
    expect(await changeUsername(deps, access, typed("anna.berg"))).toEqual({ kind: "done" });
    expect(await changeUsername(deps, stale, typed("thief"))).toEqual({ kind: "unauthorized" });
    const current = { ...access, generation: user.generation + 1 };
    await blockUser(deps, "anna.berg");
    expect(await changeUsername(deps, current, typed("thief"))).toEqual({ kind: "unauthorized" });
    deps.clock.advance(FRESH_PROOF_SECONDS + 1);
    expect(await changeUsername(deps, current, typed("thief"))).toEqual({ kind: "reauthentication_required" });
  });
});
