import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStore } from "#app/db/store.server.ts";
import { addClient, addUser, databaseOfRun } from "#tests/http/crash/command.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { obtainTokens, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty, readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { createDebianTree, type DebianTree, SERVE_FAILURE } from "./debian-tree.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const isPostgres = process.env.GATEHOUSE_TEST_DIALECT === "postgres";
const ADDING = { "9001_add_table": "CREATE TABLE more (id text)" };
const FAILING = { "9001_add_table": "CREATE TABLE more (id text)", "9002_fail": "INSERT INTO missing VALUES (1)" };

let tree: DebianTree;
let database: Awaited<ReturnType<typeof databaseOfRun>>;
let party: RelyingParty;
let anna: { id: string; username: string; password: string; displayName: string };

/** 0.3.0 is installed and runs. */
beforeEach(async () => {
  database = await databaseOfRun();
  tree = await createDebianTree(isPostgres ? { databaseUrl: database.env["DATABASE_URL"] } : {});
  await install(tree.pack("0.3.0"));
  await tree.systemctl("start");
  expect(await tree.servedVersion()).toBe("0.3.0");
  party = createRelyingParty({ issuer: tree.url, client: await addClient(tree, "suite") });
  const typed = { username: "anna", password: TEST_PASSWORD };
  anna = { ...typed, ...(await addUser(tree, typed)), displayName: "Name of anna" };
});

afterEach(async () => {
  await tree?.remove();
  await database?.remove();
});

async function install(file: string): Promise<string> {
  const { code, stdout, stderr } = await tree.dpkg("--install", file);
  if (code !== 0) throw new Error(stdout + stderr);
  if (tree.pid() > 0) await tree.servedVersion();
  return stdout + stderr;
}

/** Signs Anna in, and opens a sign-in page in another browser; the result checks that all of it still works. */
async function seedAccess() {
  const browser = createBrowser({ base: tree.url });
  let { refreshToken } = await obtainTokens(browser, party, party.request({ scope: "openid offline" }), anna);
  let openSignIn = await openPage();
  return {
    async expectAlive() {
      expect(await findSignedInUser(party, browser)).toBe(anna.id);
      ({ refreshToken } = readTokens(await party.refresh(refreshToken)));
      const { page, request } = openSignIn;
      readTokens(await party.exchange(codeOf(await typePassword(openSignIn.browser, page, anna)), request));
      openSignIn = await openPage();
    },
    async expectEnded() {
      expect(await findSignedInUser(party, browser)).toBe("login_required");
      expect((await party.refresh(refreshToken)).error()).toBe("invalid_grant");
    },
  };
}

async function openPage() {
  const browser = createBrowser({ base: tree.url });
  const request = party.request();
  return { browser, request, page: await open(browser, request.url) };
}

async function canSignIn(username: string): Promise<boolean> {
  const { browser, page } = await openPage();
  return (await typePassword(browser, page, { username, password: TEST_PASSWORD })).location !== null;
}

/** Follows the manual's steps for PostgreSQL; two statements are in place of pg_restore. */
async function rollBackWithDump() {
  await tree.systemctl("stop");
  const store = await openStore({ dialect: "postgres", url: database.env["DATABASE_URL"] ?? "" });
  await store.execute("DROP TABLE more");
  await store.execute("DELETE FROM schema_migrations WHERE name = '9001_add_table'");
  await store.close();
  const [release, command] = ["usr/lib/gatehouse/previous", "usr/bin/gatehouse"].map((path) => join(tree.root, path));
  const ended = [`GATEHOUSE_RELEASE=${release}`, `${command}`, "restore", "--end-access", "--yes"];
  expect((await tree.run("env", ended)).code).toBe(0);
  expect((await tree.gatehouse("rollback", "--yes")).code).toBe(0);
  expect(await tree.servedVersion()).toBe("0.3.0");
}

const keptReleases = () =>
  readdirSync(join(tree.root, "usr/lib/gatehouse/kept")).map((name) => name.replace(/-.*/, ""));

describe("installing the next package", () => {
  test("migrates, and keeps sessions, refresh tokens and open sign-ins", async () => {
    const access = await seedAccess();
    const output = await install(tree.pack("0.4.0", ADDING));
    expect(output).toMatch(/gatehouse rollback/);
    expect(await tree.servedVersion()).toBe("0.4.0");
    await access.expectAlive();
    expect(keptReleases().sort()).toEqual(["0.3.0", "0.4.0"]);
    expect(existsSync(join(tree.root, "usr/lib/gatehouse/releases/0.3.0"))).toBe(false);
  });

  test("with a migration that fails: the former version keeps running, complete, and the database is unchanged", async () => {
    const access = await seedAccess();
    const pid = tree.pid();
    const { code, stderr } = await tree.dpkg("--install", tree.pack("0.4.0", FAILING));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/0\.4\.0 cannot be put into service.*0\.3\.0 stays in service.*dpkg --configure/s);
    expect([tree.pid(), await tree.servedVersion()]).toEqual([pid, "0.3.0"]);
    await access.expectAlive();
    // The files of the package 0.3.0 are gone; pages and commands that were not loaded yet need them.
    expect(existsSync(join(tree.root, "usr/lib/gatehouse/releases/0.3.0"))).toBe(false);
    expect((await fetch(`${tree.url}/password-reset`)).status).toBeLessThan(500);
    expect((await tree.gatehouse("user", "list")).stdout).toContain("anna");
    expect((await tree.gatehouse("migrate", "--plan")).code).toBe(0);
    expect(keptReleases()).toEqual(["0.3.0"]);
    await install(tree.pack("0.4.1", ADDING));
    expect(await tree.servedVersion()).toBe("0.4.1");
    await access.expectAlive();
  });

  // There is no copy that could fail on PostgreSQL.
  if (!isPostgres) {
    test("if the migration fails after its check, the former version is started again", async () => {
      const access = await seedAccess();
      rmSync(join(tree.root, "var/backups/gatehouse"), { recursive: true });
      const { code, stderr } = await tree.dpkg("--install", tree.pack("0.4.0", ADDING));
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/backup before it failed.*0\.3\.0 stays in service/s);
      expect(await tree.servedVersion()).toBe("0.3.0");
      await access.expectAlive();
      expect((await tree.gatehouse("rollback", "--yes")).stderr).toMatch(/no earlier release/);
    });
  }

  test("that migrates and then does not start: the output names the end of the log and the way back, and dpkg goes on", async () => {
    const access = await seedAccess();
    const broken = tree.pack("0.4.0", ADDING, { serves: false });
    const { code, stderr } = await tree.dpkg("--install", broken);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/0\.4\.0 is in service, but not ready.*has ended/s)]);
    expect(stderr).toContain(`  ${SERVE_FAILURE}\n`);
    expect(stderr).toMatch(/\nTo go back, run: gatehouse rollback\n$/);
    await expect(fetch(`${tree.url}/readyz`)).rejects.toThrow();
    if (isPostgres) await rollBackWithDump();
    else expect((await tree.gatehouse("rollback", "--yes")).code).toBe(0);
    // The next command of dpkg configures what failed before; the release must not come back by that.
    expect((await tree.dpkg("--configure", "--pending")).code).toBe(0);
    expect(await tree.servedVersion()).toBe("0.3.0");
    await access.expectEnded();
  });

  test("an older package over a newer database is refused with both versions, and the newer one keeps running", async () => {
    await install(tree.pack("0.4.0", ADDING));
    const access = await seedAccess();
    const { code, stderr } = await tree.dpkg("--install", tree.pack("0.3.1"));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/migrated by Gatehouse 0\.4\.0, but this is Gatehouse 0\.3\.1/);
    expect(await tree.servedVersion()).toBe("0.4.0");
    await access.expectAlive();
  });

  test("again, for example after damage, keeps the release to return to", async () => {
    await install(tree.pack("0.4.0", ADDING));
    await install(join(tree.root, "packages/0.4.0.deb"));
    expect(await tree.servedVersion()).toBe("0.4.0");
    expect(keptReleases().sort()).toEqual(["0.3.0", "0.4.0"]);
  });
});

describe("rollback", () => {
  test("without a migration changes no data: sessions continue", async () => {
    await install(tree.pack("0.4.0"));
    expect(await tree.servedVersion()).toBe("0.4.0");
    const access = await seedAccess();
    const { code, stderr } = await tree.gatehouse("rollback", "--yes");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/0\.3\.0 is in service again.*apt-mark hold/s)]);
    expect(await tree.servedVersion()).toBe("0.3.0");
    await access.expectAlive();
    expect(keptReleases()).toEqual(["0.3.0"]);
    const again = await tree.gatehouse("rollback", "--yes");
    expect([again.code, again.stderr]).toEqual([5, expect.stringMatching(/no earlier release/)]);
  });

  test("with a migration restores the copy: what came later is named, and ended access stays ended", async () => {
    await install(tree.pack("0.4.0", ADDING));
    const access = await seedAccess();
    expect((await tree.gatehouse("user", "block", "anna")).code).toBe(0);
    await tree.gatehouse("user", "add", "bert", "--display-name", "Bert");
    const { code, stdout, stderr } = await tree.gatehouse("rollback", "--yes");
    if (isPostgres) {
      expect([code, stderr]).toEqual([
        5,
        expect.stringMatching(/pg_restore .*--single-transaction.*GATEHOUSE_RELEASE=.*previous gatehouse/s),
      ]);
      expect(await tree.servedVersion()).toBe("0.4.0");
      await rollBackWithDump();
      await access.expectEnded();
      return;
    }
    expect([code, stderr]).toEqual([0, expect.stringMatching(/0\.3\.0 is in service again/)]);
    expect(stdout).toMatch(/anna: was blocked/);
    expect(stdout).toMatch(/ {2}bert\n/);
    expect(await tree.servedVersion()).toBe("0.3.0");
    await access.expectEnded();
    expect(await canSignIn("anna")).toBe(false);
    expect((await tree.gatehouse("user", "unblock", "anna")).code).toBe(0);
    expect(await canSignIn("anna")).toBe(true);
    await install(tree.pack("0.4.1", ADDING));
    expect(await tree.servedVersion()).toBe("0.4.1");
  });

  test("to a release that does not start ends with 1 and the end of its log", async () => {
    expect((await tree.dpkg("--install", tree.pack("0.4.0", {}, { serves: false }))).code).toBe(0);
    await install(tree.pack("0.5.0"));
    const { code, stderr } = await tree.gatehouse("rollback", "--yes");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/error: Gatehouse 0\.4\.0 is in service again, but not ready/),
    ]);
    expect(stderr).toContain(`  ${SERVE_FAILURE}\n`);
  });

  test("that is not confirmed changes nothing", async () => {
    await install(tree.pack("0.4.0", ADDING));
    const access = await seedAccess();
    const { code } = await tree.gatehouse("rollback");
    expect([code, await tree.servedVersion()]).toEqual([5, "0.4.0"]);
    await access.expectAlive();
  });
});

test("removing the package stops the service and keeps data, keys and backups", async () => {
  await install(tree.pack("0.4.0", ADDING));
  expect((await tree.dpkg("--purge", "gatehouse")).code).toBe(0);
  expect(existsSync(join(tree.root, "usr/lib/gatehouse"))).toBe(false);
  await expect(fetch(`${tree.url}/readyz`)).rejects.toThrow();
  expect(readFileSync(join(tree.root, "etc/gatehouse/secret-keys"), "utf8")).not.toBe("");
  if (!isPostgres) expect(existsSync(join(tree.root, "var/lib/gatehouse/gatehouse.sqlite"))).toBe(true);
});
