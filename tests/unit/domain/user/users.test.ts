import { describe, expect, it } from "vitest";
import { findRecord, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type ErrorCode, hasCode } from "#app/domain/base/errors.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { listUsers, showUser } from "#app/domain/user/show.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";

const PASSWORD = "Correct horse 1";
const MODELS = ["Session", "Grant", "AuthorizationCode", "AccessToken", "RefreshToken"];

function administration(store: Store) {
  const context = installation(store);
  function signIn(password: string, browser = "browser") {
    return signInWithPassword(context, { ...REQUEST, uid: "r", username: "anna", password, browser, clientId: null });
  }
  return { context, lines: context.lines, signIn };
}

function refusedWith(code: ErrorCode) {
  return (error: unknown) => hasCode(error, code);
}

/** Stores one engine record of each model for the user. */
async function putRecords(store: Store, accountId: string) {
  for (const model of MODELS) await saveRecord(store, { model, id: `${model}-${accountId}`, payload: {}, accountId });
}

async function recordsLeft(store: Store, accountId: string) {
  const found = await Promise.all(MODELS.map((model) => findRecord(store, model, `${model}-${accountId}`)));
  return found.filter((record) => record !== null).length;
}

describe.each(dialects)("administering users on %s", (dialect) => {
  it("a new user is found by any spelling of the name, and shown without the hash", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    await addGroup(context, { name: "Board", requireMfa: true });
    const added = await addUser(context, {
      username: "Anna.Müller",
      displayName: " Anna Müller ",
      email: "anna@broker.example",
      phone: "+49 30 1234",
      groupName: "Board",
      permissions: ["contracts:read"],
      locale: "de",
      password: PASSWORD,
    });
    const shown = await showUser(context, "ANNA.MÜLLER");
    expect(shown).toEqual(added);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      username: "Anna.Müller",
      displayName: "Anna Müller",
      givenName: null,
      familyName: null,
      email: "anna@broker.example",
      emailVerified: false,
      phone: "+49 30 1234",
      picture: null,
      address: null,
      group: "Board",
      furtherGroups: [],
      permissions: ["contracts:read"],
      locale: "de",
      status: "active",
      lastDay: null,
      hasPassword: true,
      passwordSetAt: context.clock.now(),
      createdAt: context.clock.now(),
    });
  });

  // Proves requirement 152.
  it("a name that is another user's verified address is taken; an address that is not verified reserves no name", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    await putUser(store, { username: "bernd", email: "Bernd@office.example", emailVerified: true });
    await putUser(store, { username: "carla", email: "carla@office.example" });
    const add = (username: string) => addUser(context, { username, displayName: "Someone" });
    await expect(add("BERND@office.example")).rejects.toSatisfy(refusedWith("username not available"));
    expect(await add("carla@office.example")).toMatchObject({ username: "carla@office.example" });
  });

  // Proves requirement 152.
  it.each(["max@müller.example", "MAX@xn--mller-kva.example"])(
    "the name %s is taken by the verified address of another user, in either spelling of the domain",
    async (username) => {
      const store = await withStore(dialect);
      const { context } = administration(store);
      await putUser(store, { username: "bernd", email: "max@müller.example", emailVerified: true });
      const adding = addUser(context, { username, displayName: "Max" });
      await expect(adding).rejects.toSatisfy(refusedWith("username not available"));
    },
  );

  it("a name that differs only in spelling is taken", async () => {
    const store = await withStore(dialect);
    const { context } = administration(store);
    await addUser(context, { username: "anna", displayName: "Anna" });
    await expect(addUser(context, { username: "ＡＮＮＡ", displayName: "Anna" })).rejects.toSatisfy(
      refusedWith("username not available"),
    );
    expect(await listUsers(context)).toHaveLength(1);
  });

  it("blocking ends every session, grant, code and token of this user only, and the password is refused", async () => {
    const store = await withStore(dialect);
    const { context, signIn } = administration(store);
    const { id } = await addUser(context, { username: "anna", displayName: "Anna", password: PASSWORD });
    const generation = (await findUserByUsername(store, "anna"))?.generation ?? 0;
    await putRecords(store, id);
    await putRecords(store, "somebody else");
    await blockUser(context, "Anna");
    expect(await recordsLeft(store, id)).toBe(0);
    expect(await recordsLeft(store, "somebody else")).toBe(MODELS.length);
    expect((await findUserByUsername(store, "anna"))?.generation).toBeGreaterThan(generation);
    expect(await signIn(PASSWORD)).toEqual({ kind: "refused" });
    await unblockUser(context, "anna");
    expect(await signIn(PASSWORD)).toMatchObject({ kind: "signed-in" });
  });

  it("a password set by an administrator ends all sessions, works at once, and clears the failures of the old one", async () => {
    const store = await withStore(dialect);
    const { context, signIn } = administration(store);
    const { id } = await addUser(context, { username: "anna", displayName: "Anna", password: PASSWORD });
    const generation = (await findUserByUsername(store, "anna"))?.generation ?? 0;
    await putRecords(store, id);
    for (let n = 0; n < 11; n += 1) await signIn("wrong");
    expect(await signIn(PASSWORD)).toMatchObject({ kind: "throttled" });
    await setUserPassword(context, "ANNA", "Another horse 2");
    expect(await recordsLeft(store, id)).toBe(0);
    const after = await findUserByUsername(store, "anna");
    expect(after).toMatchObject({ passwordSetHow: "cli", passwordSetAt: context.clock.now() });
    expect(after?.generation).toBeGreaterThan(generation);
    expect(await signIn(PASSWORD)).toEqual({ kind: "refused" });
    expect(await signIn("Another horse 2")).toMatchObject({ kind: "signed-in" });
  });
});

describe("administering users", () => {
  it.each([
    ["username is empty", { username: " " }],
    ["username is invalid", { username: "anna schmidt" }],
    ["username is invalid", { username: "\u0430nna" }],
    ["empty-password", { password: "" }],
    ["password-strength", { password: "Abcdefghij1" }],
    ["password-strength", { password: `Aa1${"x".repeat(254)}` }],
    ["password-common", { password: "Password2026!" }],
    ["password-common", { password: "Call-me-ANNA-1" }],
    ["group not found", { groupName: "Board" }],
    ["user is invalid", { displayName: "" }],
    ["user is invalid", { displayName: "Anna\nSchmidt" }],
    ["user is invalid", { email: "anna" }],
    ["user is invalid", { locale: "not a language" }],
    ["user is invalid", { permissions: ["two words"] }],
  ] as const)("%s: %o is refused, and nothing is added", async (code, wrong) => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    const input = {
      username: "anna",
      displayName: "Anna",
      ...wrong,
      permissions: [...("permissions" in wrong ? wrong.permissions : [])],
    };
    await expect(addUser(context, input)).rejects.toSatisfy(refusedWith(code));
    expect(await listUsers(context)).toEqual([]);
  });

  it("passwords of 12 and of 256 characters are accepted", async () => {
    const store = await withStore("sqlite");
    const { context, signIn } = administration(store);
    await addUser(context, { username: "anna", displayName: "Anna", password: "Abcdefghijk1" });
    expect(await signIn("Abcdefghijk1")).toMatchObject({ kind: "signed-in" });
    const longest = `Aa1${" x".repeat(126)}x`;
    await setUserPassword(context, "anna", longest);
    expect(await signIn(longest)).toMatchObject({ kind: "signed-in" });
  });

  it("a refused password changes neither the stored hash nor the sessions", async () => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    const { id } = await addUser(context, { username: "anna", displayName: "Anna", password: PASSWORD });
    await putRecords(store, id);
    const before = await findUserByUsername(store, "anna");
    await expect(setUserPassword(context, "anna", "abcdefghijk1")).rejects.toSatisfy(refusedWith("password-strength"));
    await expect(setUserPassword(context, "anna", "Call-me-Anna-1")).rejects.toSatisfy(refusedWith("password-common"));
    expect(await findUserByUsername(store, "anna")).toEqual(before);
    expect(await recordsLeft(store, id)).toBe(MODELS.length);
  });

  it("an unknown name is not found by any function", async () => {
    const store = await withStore("sqlite");
    const { context } = administration(store);
    const notFound = refusedWith("user not found");
    await expect(showUser(context, "nobody")).rejects.toSatisfy(notFound);
    await expect(showUser(context, "no name!")).rejects.toSatisfy(notFound);
    await expect(blockUser(context, "nobody")).rejects.toSatisfy(notFound);
    await expect(unblockUser(context, "nobody")).rejects.toSatisfy(notFound);
    await expect(setUserPassword(context, "nobody", PASSWORD)).rejects.toSatisfy(notFound);
  });

  it("a list longer than one page is complete and sorted", async () => {
    const store = await withStore("sqlite");
    const names = Array.from({ length: 1001 }, (_, n) => `person-${String(n).padStart(4, "0")}`);
    await store.tx(async (tx) => {
      for (const username of names.toReversed()) await putUser(tx, { username });
    });
    expect((await listUsers({ store })).map(({ username }) => username)).toEqual(names);
  });

  it("each change is a line in the log, without the password", async () => {
    const store = await withStore("sqlite");
    const { context, lines } = administration(store);
    await addUser(context, { username: "anna", displayName: "Anna", password: PASSWORD });
    await setUserPassword(context, "anna", "Another horse 2");
    await blockUser(context, "anna");
    await unblockUser(context, "anna");
    const events = lines.map((line): unknown => JSON.parse(line).event);
    expect(events).toEqual(["user.added", "user.password-set", "user.blocked", "user.unblocked"]);
    expect(lines.join("")).not.toContain("horse");
  });
});
