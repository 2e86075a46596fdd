import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateStore } from "#app/db/migrations.server.ts";
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { addClient } from "#app/domain/client/add.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { startCeremony } from "#tests/http/second-factor/calls.ts";
import { finish, openStep } from "#tests/http/second-factor/steps.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createEmptyDatabase, type TestDatabase } from "#tests/support/databases.ts";
import { giveKey, giveRecoveryCodes, giveTotp, type TestApp, type TestKey } from "#tests/support/factors.ts";
import { createRelyingParty, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD, type TestUser } from "#tests/support/server.ts";
import { REDIRECT_URI, runProgram } from "./crash/command.ts";
import { findSignedInUser } from "./login/live-session.ts";
import { followRedirects, obtainTokens, open } from "./oidc/browser-steps.ts";
import { codeOf, hasForm } from "./oidc/responses.ts";

const SCOPE = "openid profile offline";

let office: Installation;
let database: TestDatabase;
/** The target's URL without its password, and the password. */
let target: { url: string; password: string };
let moved: ChildServer | null = null;
/** A client that needs consent. */
let desk: RelyingParty;
const people = new Map<string, TestUser>();
let app: TestApp;
let key: TestKey;
let codes: string[];
/** Anna's browser from before the copy, and her application's tokens. */
let browser: Browser;
let tokens: Tokens;

beforeAll(async () => {
  office = await startInstallation();
  database = await createEmptyDatabase("postgres");
  target = addressOf(database);
  for (const username of ["anna", "bernd", "carla"]) {
    const { id } = await office.addUser(username);
    people.set(username, { id, username, password: TEST_PASSWORD, displayName: `Name of ${username}` });
  }
  await office.administer(async (context) => {
    const clock = { now: () => new Date() };
    app = await giveTotp({ context, clock }, person("bernd"));
    codes = await giveRecoveryCodes({ context }, person("bernd"));
    key = await giveKey({ context, url: office.server.url }, person("carla"));
    await addGroup(context, { name: "Süd – 東京", requireMfa: true });
    const client = await addClient(context, {
      ...{ id: "desk", name: "Broker Desk", redirectUris: [REDIRECT_URI] },
      scopes: ["openid", "profile", "offline"],
    });
    desk = createRelyingParty({ issuer: office.server.url, client: { ...client, redirectUri: REDIRECT_URI } });
    await manyRows(context.store);
  });
  browser = createBrowser({ base: office.server.url });
  tokens = await obtainTokens(browser, desk, desk.request({ scope: SCOPE }), person("anna"));
}, 120_000);

afterAll(async () => {
  await moved?.remove();
  await office?.close();
  await database?.remove();
});

function person(username: string): TestUser {
  const found = people.get(username);
  if (!found) throw new Error(`no user is named ${username}`);
  return found;
}

function addressOf({ target: { ...found } }: TestDatabase): { url: string; password: string } {
  if (found.dialect !== "postgres") throw new Error("no PostgreSQL database");
  const url = new URL(found.url);
  const { password } = url;
  url.password = "";
  return { url: url.href, password };
}

/** Inserts more rows than one statement carries, with values that the two dialects store differently. */
async function manyRows(store: Store) {
  await store.tx(async (tx) => {
    for (let count = 0; count < 1_200; count += 1) {
      const payload = { kind: "ReplayDetection", text: `Süd – 東京 "${count}"\u0000`, deep: [count, null, true, 0.5] };
      const expiresAt = count % 2 === 0 ? null : new Date(Date.now() + 86_400_000 + count);
      await saveRecord(tx, { model: `Model${count % 3}`, id: `record-${count}`, payload, expiresAt });
    }
  });
}

const copyTo = (url: string, ...more: string[]) =>
  office.attempt(["data", "copy", "--to", url, ...more], { PGPASSWORD: target.password });

/** Returns every row of every table, sorted, as the repositories read it. */
async function allRows(at: TestDatabase["target"]) {
  const store = await openStore(at);
  try {
    const rows: Record<string, string[]> = {};
    for (const [name, table] of Object.entries(store.t)) {
      const found: object[] = await store.q.select().from(table);
      rows[name] = found.map((row) => JSON.stringify(row)).toSorted();
    }
    return rows;
  } finally {
    await store.close();
  }
}

describe("a copy is refused", () => {
  test("while the server runs", async () => {
    const { code, stdout, stderr } = await copyTo(target.url);
    expect([code, stdout]).toEqual([5, ""]);
    expect(stderr).toContain("Another server is running");
  });

  test("with a password in the address, which is repeated nowhere", async () => {
    const { code, stdout, stderr } = await copyTo(target.url.replace("@", ":a-typed-password@"));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("PGPASSWORD");
    expect(stderr).not.toContain("a-typed-password");
  });

  test("without an address, or into a file", async () => {
    expect(await office.attempt(["data", "copy"])).toMatchObject({ code: 2, stdout: "" });
    expect(await copyTo("sqlite:./other.sqlite")).toMatchObject({ code: 2, stdout: "" });
  });

  describe("into a database", () => {
    beforeAll(async () => {
      await office.server.stop();
    });

    test("that already contains a row", async () => {
      const other = await createEmptyDatabase("postgres");
      const store = await openStore(other.target);
      try {
        await migrateStore(store);
        await store.q.insert(store.t.groups).values({ id: "north", name: "North", createdAt: new Date() });
        const { code, stdout, stderr } = await copyTo(addressOf(other).url);
        expect([code, stdout]).toEqual([5, ""]);
        expect(stderr).toContain("already contains rows (groups)");
        expect(await store.q.$count(store.t.users)).toBe(0);
      } finally {
        await store.close();
        await other.remove();
      }
    });

    test("that belongs to another program", async () => {
      const other = await createEmptyDatabase("postgres");
      const store = await openStore(other.target);
      try {
        await store.execute("CREATE TABLE invoices (id integer)");
        const { code, stderr } = await copyTo(addressOf(other).url);
        expect(code).toBe(5);
        expect(stderr).toContain("contains tables of another program (invoices)");
        expect(await store.execute("SELECT 1 FROM pg_tables WHERE tablename = 'users'")).toEqual([]);
      } finally {
        await store.close();
        await other.remove();
      }
    });
  });
});

describe("a copy", () => {
  let result: Record<string, unknown>;

  beforeAll(async () => {
    const { code, stdout, stderr } = await copyTo(target.url, "--json");
    expect([code, stderr]).toEqual([0, expect.stringContaining("Copying rows: 100 %")]);
    result = JSON.parse(stdout);
    expect(stdout + stderr).not.toContain(target.password);
  }, 60_000);

  test("reports the rows of every table, and that the audit trail is complete", async () => {
    expect(result).toMatchObject({
      to: target.url,
      tables: {
        users: 3,
        groups: 1,
        clients: 2,
        totp_credentials: 1,
        webauthn_credentials: 1,
        consents: 1,
        instance: 1,
      },
      audit: { ok: true },
    });
    expect(Object.keys(Object(result["tables"])).length).toBe(26);
  });

  test("contains every row unchanged, and one additional event for the copy", async () => {
    const [source, copy] = [await allRows({ dialect: "sqlite", file: office.file }), await allRows(database.target)];
    const isMove = (row: string) => row.includes('"instance.moved"');
    const events = copy["auditEvents"] ?? [];
    expect(events.filter(isMove).length).toBe(1);
    expect({ ...copy, auditEvents: events.filter((row) => !isMove(row)) }).toEqual(source);
    expect(copy["oidcRecords"]?.length).toBeGreaterThan(1_200);
  });

  test("is made once: the second time the target is not empty", async () => {
    expect(await copyTo(target.url)).toMatchObject({ code: 5, stdout: "" });
  });

  test("can read the complete address from a file", async () => {
    const other = await createEmptyDatabase("postgres");
    const file = join(office.folder, `address-${randomBytes(4).toString("hex")}`);
    try {
      const { url, password } = addressOf(other);
      const whole = new URL(url);
      whole.password = password;
      writeFileSync(file, `${whole.href}\n`, { mode: 0o600 });
      const { code, stdout, stderr } = await office.attempt(["data", "copy", "--to-file", file]);
      expect([code, stderr]).toEqual([0, expect.stringContaining("Never start the SQLite file again")]);
      expect(stdout).toContain("users: 3");
      expect(stdout + stderr).not.toContain(password);
    } finally {
      rmSync(file, { force: true });
      await other.remove();
    }
  });
});

describe("a server on the copy", () => {
  beforeAll(async () => {
    const { ISSUER, PORT = "" } = office.server.env;
    const url = new URL(target.url);
    url.password = target.password;
    moved = await startChildServer({ env: { ISSUER: ISSUER ?? "", PORT, DATABASE_URL: url.href } });
  }, 60_000);

  test("keeps the sessions and consents", async () => {
    expect(await findSignedInUser(desk, browser)).toBe(person("anna").id);
    const again = await open(browser, desk.request({ scope: SCOPE }).url);
    expect(hasForm(again, "/consent/accept")).toBe(false);
  });

  test("accepts the tokens that were issued before", async () => {
    expect((await desk.userinfo(tokens.accessToken)).json()).toMatchObject({ sub: person("anna").id });
    const renewed = readTokens(await desk.refresh(tokens.refreshToken));
    expect((await desk.verifyIdToken(tokens.idToken)).payload.sub).toBe(person("anna").id);
    expect((await desk.userinfo(renewed.accessToken)).status).toBe(200);
    // The successor was used, so the old token is outside the refresh leeway.
    readTokens(await desk.refresh(renewed.refreshToken));
    expect((await desk.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
  });

  test("accepts the same passwords and no others", async () => {
    expect(await office.canSignIn("anna")).toBe(true);
    expect(await office.canSignIn("anna", "Wrong-Window-27-Oak")).toBe(false);
  });

  test("accepts the same codes, recovery codes and security keys", async () => {
    const { party } = office;
    const fresh = () => createBrowser({ base: office.server.url });
    const withCode = await openStep(fresh(), party.request().url, person("bernd"));
    codeOf(await followRedirects(withCode.browser, await withCode.post("/mfa/verify", { code: await app.code() })));
    const withRecovery = await openStep(fresh(), party.request().url, person("bernd"));
    const spent = await withRecovery.post("/mfa/verify", { code: codes[0] ?? "", method: "recovery" });
    codeOf(await followRedirects(withRecovery.browser, spent));
    const withKey = await openStep(fresh(), party.request().url, person("carla"));
    codeOf(await finish(withKey, await withKey.call("/mfa/verify-fido2", key.assert(await startCeremony(withKey)))));
  });

  test("continues the audit trail where it was", async () => {
    const verified = await runProgram(moved?.env ?? office.server.env, ["audit", "verify", "--json"]);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, first: 1 });
  });
});
