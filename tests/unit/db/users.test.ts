import { describe, expect, test } from "vitest";
import { createGroup, findGroup, findGroupByName, listGroups } from "#app/db/repositories/groups.server.ts";
import {
  byLoginName,
  createUser,
  findUser,
  findUserByLoginName,
  findUserByUsername,
  hasLoginName,
  listUsers,
  replacePasswordHash,
  setUserPassword,
  setUserStatus,
  updateUserProfile,
} from "#app/db/repositories/users.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, storedUser } from "./rows.ts";

describe.each(dialects)("users on %s", (dialect) => {
  // Proves requirement 152.
  test("a user is found by user name or e-mail address without reading all users", async () => {
    const store = await withStore(dialect);
    const { users } = store.t;
    const where = hasLoginName(store);
    const query = store.q.select().from(users).where(where).orderBy(byLoginName(store)).limit(2).toSQL();
    const text = query.sql.replace(/\?|\$\d+/g, "'1'").replace(/limit '1'/, "limit 2");
    const plan = await store.tx(async (tx) => {
      // A table without rows would be read as a whole.
      if (dialect === "postgres") await tx.execute("SET LOCAL enable_seqscan = off");
      return JSON.stringify(await tx.execute(`EXPLAIN ${dialect === "sqlite" ? "QUERY PLAN " : ""}${text}`));
    });
    expect(plan).toContain("users_email");
    expect(plan).not.toMatch(/SCAN users|Seq Scan/);
  });

  test("a user is read as stored, times to the millisecond, lists and address included", async () => {
    const store = await withStore(dialect);
    const group = await createGroup(store, { id: "g", name: "Büro", requireMfa: true, createdAt: now });
    const full = {
      id: "u",
      username: "Ämilie",
      usernameCanonical: "ämilie",
      displayName: "Ämilie O'Hara \u0001 👩‍💼",
      givenName: "Ämilie",
      familyName: "O'Hara",
      email: "a@example.org",
      emailVerified: true,
      phone: "+49 1",
      address: { locality: "Köln", formatted: "Zeile 1\nZeile 2" },
      picture: "https://example.org/p.png",
      permissions: ["stocks", "reports"],
      locale: "de",
      status: "blocked",
      generation: 7,
      passwordHash: "$argon2id$…",
      passwordSetAt: at(-1),
      passwordSetHow: "link",
      passwordProvenAt: at(4),
      passwordResetUnseen: true,
      passwordMailedAt: at(-2),
      sortName: "o'hara amilie",
      searchText: "amilie a@example.org o'hara \u0001 👩‍💼",
      lastSignedInAt: at(-3),
      lastDay: "2026-12-31",
      hasFactor: true,
      blockReason: "Left the office",
      passkeyOfferAfter: at(90),
      defaultFactor: "fido2",
      groupId: group.id,
      createdAt: now,
      updatedAt: at(1),
    } as const;
    const stored = await createUser(store, { ...full, permissions: [...full.permissions] });
    expect(stored).toEqual({ ...full, emailCanonical: "a@example.org" });
    expect(await findUser(store, "u")).toEqual(stored);
  });

  test("a user with few fields has empty values, no password and the first generation", async () => {
    const store = await withStore(dialect);
    expect(await storedUser(store, "Anna")).toMatchObject({
      email: null,
      emailVerified: false,
      address: null,
      permissions: [],
      status: "active",
      generation: 1,
      passwordHash: null,
      passwordSetAt: null,
      passwordSetHow: null,
      groupId: null,
    });
  });

  test("the searched text has each word once, and none that another word contains", async () => {
    const store = await withStore(dialect);
    const names = { displayName: "Anna Brandt", givenName: "Anna", familyName: "Brandt", username: "abr" };
    expect(await storedUser(store, "Anna", { ...names, email: "Anna.Brandt@office.example" })).toMatchObject({
      searchText: "abr anna.brandt@office.example",
    });
  });

  test("a long name leaves room for the user name and the address in the searched text", async () => {
    const store = await withStore(dialect);
    // One letter that folds to eighteen.
    const names = { displayName: "\ufdfa".repeat(99), username: "abr" };
    const { searchText } = await storedUser(store, "Anna", { ...names, email: "anna.brandt@office.example" });
    expect(searchText.startsWith("abr anna.brandt@office.example ")).toBe(true);
  });

  test("a user is found by the canonical name only", async () => {
    const store = await withStore(dialect);
    const anna = await storedUser(store, "Anna");
    expect(await findUserByUsername(store, "anna")).toEqual(anna);
    expect(await findUserByUsername(store, "Anna")).toBeNull();
    expect(await findUser(store, "nobody")).toBeNull();
  });

  test("a user is found by an e-mail address that is verified for one user alone, after user names", async () => {
    const store = await withStore(dialect);
    const storeUser = (username: string, email: string | null, emailVerified: boolean) =>
      createUser(store, {
        ...{ id: username, username, usernameCanonical: username, displayName: username },
        ...{ email, emailVerified, createdAt: now, updatedAt: now },
      });
    const anna = await storeUser("anna", "Anna@Office.example", true);
    await storeUser("bernd", "bernd@office.example", false);
    await storeUser("carla", "shared@office.example", true);
    await storeUser("dora", "Shared@office.example", true);
    await storeUser("fritz", "ANNA@office.example", false);
    await storeUser("emil", "name@office.example", true);
    const named = await storeUser("name@office.example", null, false);
    const find = (canonical: string, email: string | null = canonical) =>
      findUserByLoginName(store, { canonical, email });
    expect(await find("anna@office.example")).toEqual(anna);
    expect(await find("", "anna@office.example")).toEqual(anna);
    expect(await find("anna", null)).toEqual(anna);
    expect(await find("name@office.example")).toEqual(named);
    for (const email of ["bernd@office.example", "shared@office.example", "nobody@office.example", "", "an\0na@x"])
      expect([email, await find(email)]).toEqual([email, null]);
  });

  test("text that no database can store finds no user, without an error", async () => {
    const store = await withStore(dialect);
    expect(await findUserByUsername(store, "an\0na")).toBeNull();
    expect(await findUser(store, "\0")).toBeNull();
    expect(await findGroupByName(store, "\0")).toBeNull();
  });

  test("a second user with the same canonical name is a unique violation, also of twenty concurrent calls", async () => {
    const store = await withStore(dialect);
    const adding = Array.from({ length: 20 }, (_, index) => storedUser(store, "Anna", { id: `id ${index}` }));
    const results = await Promise.allSettled(adding);
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(19);
    expect(refused.every(({ reason }) => store.isUnique(reason))).toBe(true);
  });

  test("other errors are not unique violations", async () => {
    const store = await withStore(dialect);
    const error = await storedUser(store, "Anna", { groupId: "no such group" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(store.isUnique(error)).toBe(false);
    expect(store.isUnique(new Error("else"))).toBe(false);
    expect(store.isUnique(undefined)).toBe(false);
  });

  test("an error never contains the values to be stored", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    const taken = await storedUser(store, "Anna", { passwordHash: "s3cret-hash" }).catch((thrown: unknown) => thrown);
    const failed = await storedUser(store, "Bert", { groupId: "s3cret-group" }).catch((thrown: unknown) => thrown);
    for (const error of [taken, failed]) expect(everythingIn(error)).not.toContain("s3cret");
  });

  test("users are listed by canonical name, page by page", async () => {
    const store = await withStore(dialect);
    for (const name of ["Dora", "anna", "Carl", "berta", "Emil"]) await storedUser(store, name);
    const first = await listUsers(store, { after: null, limit: 2 });
    const second = await listUsers(store, { after: "berta", limit: 2 });
    const third = await listUsers(store, { after: "dora", limit: 2 });
    const names = [first, second, third].map((page) => page.map((user) => user.usernameCanonical));
    expect(names).toEqual([["anna", "berta"], ["carl", "dora"], ["emil"]]);
  });

  test("a block increments the generation in the same statement; so does a password", async () => {
    const store = await withStore(dialect);
    const { id } = await storedUser(store, "Anna");
    expect(await setUserStatus(store, id, "blocked", at(1))).toMatchObject({ status: "blocked", generation: 2 });
    const changed = await setUserPassword(store, id, { hash: "new", how: "cli", at: at(2) });
    expect(changed).toMatchObject({
      generation: 3,
      passwordHash: "new",
      passwordSetHow: "cli",
      passwordSetAt: at(2),
      updatedAt: at(2),
    });
    expect(await setUserStatus(store, "nobody", "blocked", now)).toBeNull();
    expect(await setUserPassword(store, "nobody", { hash: "new", how: "cli", at: now })).toBeNull();
  });

  test("twenty concurrent increments increment by twenty", async () => {
    const store = await withStore(dialect);
    const { id } = await storedUser(store, "Anna");
    await Promise.all(Array.from({ length: 20 }, () => setUserStatus(store, id, "active", now)));
    expect(await findUser(store, id)).toMatchObject({ generation: 21 });
  });

  test("a rehash is stored only in place of the hash that was verified", async () => {
    const store = await withStore(dialect);
    const { id } = await storedUser(store, "Anna", { passwordHash: "weak", passwordSetAt: now });
    expect(await replacePasswordHash(store, id, { expected: "weak", hash: "strong" })).toBe(true);
    expect(await replacePasswordHash(store, id, { expected: "weak", hash: "late" })).toBe(false);
    expect(await findUser(store, id)).toMatchObject({ passwordHash: "strong", generation: 1, passwordSetAt: now });
  });

  test("a profile change keeps other fields, and can clear a field", async () => {
    const store = await withStore(dialect);
    const { id } = await storedUser(store, "Anna", { email: "a@example.org", phone: "1" });
    const moved = await updateUserProfile(store, id, { email: "Max@Müller.example" }, at(4));
    expect(moved).toMatchObject({ email: "Max@Müller.example", emailCanonical: "max@xn--mller-kva.example" });
    expect(await updateUserProfile(store, id, { phone: "1" }, at(4))).toMatchObject(moved ?? {});
    const changed = await updateUserProfile(store, id, { email: null, permissions: ["stocks"] }, at(5));
    expect(changed).toMatchObject({
      email: null,
      emailCanonical: null,
      phone: "1",
      permissions: ["stocks"],
      generation: 1,
      updatedAt: at(5),
    });
    expect(await updateUserProfile(store, "nobody", { email: null }, now)).toBeNull();
  });

  test("groups are found by name and listed by it", async () => {
    const store = await withStore(dialect);
    for (const name of ["west", "east"]) await createGroup(store, { id: `id of ${name}`, name, createdAt: now });
    expect((await listGroups(store)).map((group) => group.name)).toEqual(["east", "west"]);
    expect(await findGroupByName(store, "east")).toEqual(await findGroup(store, "id of east"));
    const again = await createGroup(store, { id: "x", name: "east", createdAt: now }).catch(
      (thrown: unknown) => thrown,
    );
    expect(store.isUnique(again)).toBe(true);
  });
});

/** Returns all text of an error and its causes that a log could contain. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  const own = Object.getOwnPropertyNames(error).map((name) => JSON.stringify(Reflect.get(error, name)) ?? "");
  return [...own, everythingIn(error.cause ?? null)].join("\n");
}
