import { randomBytes } from "node:crypto";
import { hash as argon2 } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { FOREIGN_HASHES, UNUSABLE_HASHES } from "#tests/support/foreign-hashes.ts";
import { serverOfFile, TEST_PASSWORD } from "#tests/support/server.ts";
import { openForm } from "./open-form.ts";

/** The current hash parameters, in PHC format. */
const TODAYS = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

async function tryToSignIn(username: string, password: string): Promise<HttpResponse> {
  const form = await openForm(server.browser(), party.request().url);
  return form.post({ username, password });
}

async function isSignedIn(username: string, password: string) {
  const { status } = await tryToSignIn(username, password);
  if (status !== 303 && status !== 401) throw new Error(`Neither signed in nor refused: ${status}`);
  return status === 303;
}

async function storedHash(id: string) {
  const { t, q } = server.context.store;
  const [row] = await q.select({ hash: t.users.passwordHash }).from(t.users).where(eq(t.users.id, id));
  return row?.hash ?? "";
}

async function storeHash(id: string, passwordHash: string) {
  const { t, q } = server.context.store;
  await q.update(t.users).set({ passwordHash }).where(eq(t.users.id, id)).returning();
}

test("a verified e-mail address signs in like the user name; one that is not verified is refused like an unknown name", async () => {
  const { id } = await server.users.create({ username: "mail.anna", email: "Mail.Anna@office.example" });
  expect(await isSignedIn("mail.anna@office.example", TEST_PASSWORD)).toBe(false);
  const { t, q } = server.context.store;
  await q.update(t.users).set({ emailVerified: true }).where(eq(t.users.id, id)).returning();
  expect(await isSignedIn("mail.anna@office.example", TEST_PASSWORD)).toBe(true);
  expect(await isSignedIn("mail.anna", TEST_PASSWORD)).toBe(true);
});

describe("a user name", () => {
  // Proves requirement 27.
  test("is read without regard to case, width, composition and outer spaces", async () => {
    await server.users.create({ username: "Jörg.Weiß" });
    const spellings = ["Jörg.Weiß", "jörg.weiß", "JÖRG.Weiß", "Jo\u0308rg.weiß", "Ｊörg.Weiß", "  jörg.weiß\t"];
    for (const username of spellings)
      expect([username, await isSignedIn(username, TEST_PASSWORD)]).toEqual([username, true]);
  });

  test("differs by any other letter, even one that looks alike", async () => {
    await server.users.create({ username: "anna.berg" });
    const others = ["anna.bert", "anna berg", "аnna.berg", "anna.berg\u200d", "anna.berg.", "Jorg.Weiss"];
    for (const username of others)
      expect([username, await isSignedIn(username, TEST_PASSWORD)]).toEqual([username, false]);
  });
});

describe("a password", () => {
  // Proves requirement 4.
  test("is the same composed and decomposed", async () => {
    const { username } = await server.users.create({ password: "Schlüssel-Bund-27-Éiche" });
    expect(await isSignedIn(username, "Schlüssel-Bund-27-Éiche".normalize("NFC"))).toBe(true);
    expect(await isSignedIn(username, "Schlüssel-Bund-27-Éiche".normalize("NFD"))).toBe(true);
  });

  test("that was set decomposed is the same composed", async () => {
    const { username } = await server.users.create({ password: "Schlüssel-Bund-27-Éiche".normalize("NFD") });
    expect(await isSignedIn(username, "Schlüssel-Bund-27-Éiche".normalize("NFC"))).toBe(true);
  });

  test("is compared completely: the 73rd byte, a trailing space and the case matter", async () => {
    const password = `Ab1 ${"x".repeat(75)}Y`;
    const { username } = await server.users.create({ password });
    const altered = [
      `${password.slice(0, 72)}z${password.slice(73)}`,
      password.slice(0, 72),
      password.slice(0, -1),
      `${password} `,
      ` ${password}`,
      password.toLowerCase(),
      password.replace("Ab1 ", "Ab1"),
    ];
    for (const other of altered) expect([other, await isSignedIn(username, other)]).toEqual([other, false]);
    expect(await isSignedIn(username, password)).toBe(true);
  });

  test.each([64, 128, 256])("of %i characters, with spaces, signs in", async (length) => {
    const password = "Ab1 ".repeat(length / 4);
    const { username } = await server.users.create({ password });
    expect(await isSignedIn(username, password)).toBe(true);
    expect(await isSignedIn(username, `${password}x`)).toBe(false);
  });

  test("with letters beyond the first plane signs in", async () => {
    const password = "Schlüssel-🗝️-27-𝔊𝔞𝔱𝔢";
    const { username } = await server.users.create({ password });
    expect(await isSignedIn(username, password)).toBe(true);
  });

  // Proves requirement 26.
  test("from before today's rules still signs in", async () => {
    const { id, username } = await server.users.create();
    await storeHash(id, await server.context.hasher.hash("short"));
    expect(await isSignedIn(username, "short")).toBe(true);
  });

  // Proves requirement 10.
  test("that is years old still signs in: passwords do not expire", async () => {
    const { id, username } = await server.users.create();
    const { t, q } = server.context.store;
    const passwordSetAt = new Date("2023-03-02T09:00:00.000Z");
    await q.update(t.users).set({ passwordSetAt }).where(eq(t.users.id, id)).returning();
    expect(await isSignedIn(username, TEST_PASSWORD)).toBe(true);
  });
});

describe("what is stored of a password", () => {
  // Proves requirement 12.
  test("is argon2id of at least 19 MiB and two passes, with a salt of its own", async () => {
    // Not server.users.create(), whose users share a hash.
    const password = TEST_PASSWORD;
    const one = await addUser(server.context, { username: "salt-one", displayName: "Anna Berg", password });
    const other = await addUser(server.context, { username: "salt-two", displayName: "Anna Berg", password });
    const hashes = [await storedHash(one.id), await storedHash(other.id)];
    for (const hash of hashes) {
      const [memory, passes, threads] = (TODAYS.exec(hash) ?? []).slice(1).map(Number);
      expect(memory).toBeGreaterThanOrEqual(19_456);
      expect(passes).toBeGreaterThanOrEqual(2);
      expect(threads).toBeGreaterThanOrEqual(1);
    }
    const salts = hashes.map((hash) => hash.split("$")[4]);
    expect(salts[0]).toHaveLength(22);
    expect(salts[0]).not.toBe(salts[1]);
  });

  // Proves requirement 13.
  test("of a lower cost still signs in, and is written anew at today's cost", async () => {
    const { id, username } = await server.users.create();
    const cheap = await argon2(TEST_PASSWORD, {
      memoryCost: 8_192,
      timeCost: 1,
      parallelism: 1,
    });
    await storeHash(id, cheap);
    expect(await isSignedIn(username, "Wrong-Window-27-Oak")).toBe(false);
    expect(await storedHash(id)).toBe(cheap);

    expect(await isSignedIn(username, TEST_PASSWORD)).toBe(true);
    const renewed = await storedHash(id);
    expect(Number(TODAYS.exec(renewed)?.[1])).toBeGreaterThanOrEqual(19_456);
    expect(await isSignedIn(username, TEST_PASSWORD)).toBe(true);
    expect(await storedHash(id)).toBe(renewed);
  });
});

describe("a password that was imported as another system's hash", () => {
  // Proves requirement 13.
  test.each(FOREIGN_HASHES)("signs in, and is written anew in our own form: $name", async ({ hash, password }) => {
    const username = `imported-${randomBytes(4).toString("hex")}`;
    const fields = { username, display_name: "Imported", password_hash: hash };
    const { rows } = await planImport(server.context, [{ line: 2, fields }], { onConflict: "fail" });
    await applyImport(server.context, rows);
    const user = await findUserByUsername(server.context.store, username);
    expect(await isSignedIn(username, `${password}!`)).toBe(false);
    expect(await storedHash(user?.id ?? "")).toBe(hash);

    expect(await isSignedIn(username, password)).toBe(true);
    const renewed = await storedHash(user?.id ?? "");
    expect(Number(TODAYS.exec(renewed)?.[1])).toBeGreaterThanOrEqual(19_456);
    expect(await isSignedIn(username, password)).toBe(true);
    expect(await storedHash(user?.id ?? "")).toBe(renewed);
  });

  // Proves requirement 13.
  test.each(UNUSABLE_HASHES)("that an earlier version accepted is refused like a wrong password: %s", async (hash) => {
    const { id, username } = await server.users.create();
    await storeHash(id, hash);
    expect(await isSignedIn(username, TEST_PASSWORD)).toBe(false);
  });
});

// Proves requirement 21.
test("a new database contains no account, and no name or password signs in", async () => {
  const { t, q } = server.context.store;
  const empty = await q.select({ id: t.users.id }).from(t.users).where(eq(t.users.usernameCanonical, "admin"));
  expect(empty).toEqual([]);
  for (const [username, password] of [
    ["admin", "admin"],
    ["root", "root"],
    ["gatehouse", "gatehouse"],
  ] as const) {
    expect(await isSignedIn(username, password)).toBe(false);
  }
});
