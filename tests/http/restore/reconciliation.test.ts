import { copyFileSync, existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { databaseOfRun } from "#tests/http/crash/command.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { type Installation, startInstallation } from "./installation.ts";

const NEW_PASSWORD = "Harbour-Kettle-93-Lamp";

vi.setConfig({ testTimeout: 120_000 });

let installation: Installation;
afterEach(() => installation?.close());

/** Starts an installation with the users of `liveOn`, and creates what a restore has to end. */
async function startWithUsers(env?: Parameters<typeof startInstallation>[0]) {
  installation = await startInstallation(env);
  await installation.addUser("blocked");
  await installation.addUser("changed");
  return holdEverything();
}

/** Creates a session, tokens, a reset link and an open form before the backup. */
async function holdEverything() {
  const { server, party } = installation;
  const anna = await installation.addUser("anna");
  const browser = createBrowser({ base: server.url });
  const request = party.request({ scope: "openid offline" });
  const form = await open(browser, request.url);
  const end = await typePassword(browser, form, { username: "anna", password: TEST_PASSWORD });
  const tokens = readTokens(await party.exchange(codeOf(end), request));
  const { url: link } = await installation.administer((context) => createPasswordLink(context, "anna"));
  const opened = createBrowser({ base: server.url });
  const page = await open(opened, party.request().url);
  return { anna, browser, tokens, link, opened, page };
}

async function expectNothingWorks(held: Awaited<ReturnType<typeof holdEverything>>) {
  const { party } = installation;
  expect(await findSignedInUser(party, held.browser)).toBe("login_required");
  expect((await party.refresh(held.tokens.refreshToken)).error()).toBe("invalid_grant");
  expect((await party.userinfo(held.tokens.accessToken)).status).toBe(401);
  const link = await held.opened.follow(await held.opened.get(held.link));
  expect(link.url).toContain("error-token");
  // The challenge of the open page is invalid, and the response states that.
  const form = held.page.page().form("/login/native");
  const response = await held.opened.submit(held.page, form, { username: "anna", password: TEST_PASSWORD });
  expect(response.status).toBeGreaterThanOrEqual(400);
}

/** Changes since the backup, a day later: one user is blocked, one gets another password, one is added. */
async function liveOn() {
  await installation.administer(async (context) => {
    await blockUser(context, "blocked");
    await setUserPassword(context, "changed", NEW_PASSWORD);
  });
  await installation.addUser("newcomer");
}

/** Expects that nothing issued before the restore works, and that the changes of `liveOn` are applied again. */
async function expectReconciled(held: Awaited<ReturnType<typeof holdEverything>>) {
  await expectNothingWorks(held);
  expect(await installation.canSignIn("blocked")).toBe(false);
  expect(await installation.canSignIn("changed")).toBe(false);
  const report = await installation.command("restore", "--report");
  expect(report).toMatchObject({
    blocked: [{ username: "blocked", why: ["blocked"] }],
    must_set_password: [{ username: "changed" }],
    lost_users: ["newcomer"],
    need_recovery_codes: [],
    clients_removed: [],
  });
}

async function makeCopy(backup: "command" | "builtCommand" = "command"): Promise<string> {
  const copy = join(installation.folder, "copy.sqlite");
  await installation[backup]("backup", copy);
  return copy;
}

if (process.env.GATEHOUSE_TEST_DIALECT === "postgres") {
  test("on PostgreSQL the command prints the commands without a password, and --end-access (formerly --fence) ends all access of the older state", async () => {
    const database = await databaseOfRun();
    try {
      installation = await startInstallation(database.env);
      const backup = await installation.attempt(["backup"]);
      expect([backup.code, backup.stderr]).toEqual([5, expect.stringMatching(/pg_dump --format=custom/)]);
      expect(backup.stdout).toMatch(/ok +schema +up to date/);
      expect((await installation.attempt(["restore", "x.dump"])).stderr).toMatch(/pg_restore/);
      const held = await holdEverything();
      await installation.server.stop();
      expect(await installation.command("restore", "--fence", "--yes")).toEqual({ epoch: 2 });
      await installation.server.start();
      await expectNothingWorks(held);
      expect(await installation.canSignIn("anna")).toBe(true);
      const unknown = /warning +last restore: .*it is unknown what was changed after the backup/;
      expect((await installation.attempt(["doctor"])).stdout).toMatch(unknown);
      expect(await installation.command("restore", "--confirm")).toEqual({ confirmed: true });
      expect((await installation.attempt(["doctor"])).stdout).not.toMatch(unknown);
    } finally {
      await installation.close();
      await database.remove();
    }
  });
} else {
  describe("a restored older database", () => {
    test("by the command: all issued tokens are invalid, security-relevant changes are applied again, the report lists all", async () => {
      const held = await startWithUsers();
      const copy = await makeCopy("builtCommand");
      await liveOn();
      await installation.server.stop();
      const report = await installation.builtCommand("restore", copy, "--yes");
      expect(report).toMatchObject({ sign: "copy", epoch: 2, lost_users: ["newcomer"] });
      await installation.server.start();
      expect(await installation.canSignIn("anna")).toBe(true);
      await expectReconciled(held);
    });

    test("by the command, from a backup made during sign-ins: it is consistent", async () => {
      installation = await startInstallation();
      await installation.addUser("anna");
      let isMade = false;
      const signingIn = [1, 2, 3].map(async () => {
        let times = 0;
        for (; !isMade; times += 1) expect(await installation.canSignIn("anna")).toBe(true);
        return times;
      });
      const copy = await makeCopy("builtCommand");
      isMade = true;
      for (const times of await Promise.all(signingIn)) expect(times).toBeGreaterThan(0);
      await installation.server.stop();
      await installation.command("restore", copy, "--check");
      expect(await installation.command("restore", copy, "--yes")).toMatchObject({ sign: "copy", epoch: 2 });
      await installation.server.start();
      expect(await installation.canSignIn("anna")).toBe(true);
      expect(await installation.command("audit", "verify")).toMatchObject({ ok: true });
    });

    test("by hand: it is detected at the start, with the same effects", async () => {
      const held = await startWithUsers({ ADMIN_MAIL: "it@office.example" });
      const copy = await makeCopy();
      await liveOn();
      await installation.server.stop();
      installation.dropIn(copy);
      await installation.server.start();
      expect(installation.server.output()).toMatch(/an older database was put into service/);
      await expectReconciled(held);
      expect(await installation.canSignIn("anna")).toBe(true);
      const mails = readdirSync(join(installation.folder, "outbox"));
      expect(mails.length).toBeGreaterThan(0);
    });

    test("by hand, from a plain copy of the stopped server's file, which is not marked as a copy", async () => {
      const held = await startWithUsers();
      await installation.server.stop();
      const plainFile = join(installation.folder, "plain.sqlite");
      copyFileSync(installation.file, plainFile);
      await installation.server.start();
      await liveOn();
      await installation.server.stop();
      installation.dropIn(plainFile);
      await installation.server.start();
      await expectReconciled(held);
    });

    test("beside the WAL of a killed server: the error names the fix, which works", async () => {
      const held = await startWithUsers();
      const copy = await makeCopy();
      await liveOn();
      await installation.server.kill();
      expect(existsSync(`${installation.file}-wal`)).toBe(true);
      installation.dropIn(copy);
      const refused = await installation.attempt(["serve"]);
      expect(refused.code).toBe(5);
      expect(refused.stderr).toContain(`mv ${installation.file}-wal ${installation.file}-wal.old`);
      for (const suffix of ["-wal", "-shm"])
        renameSync(`${installation.file}${suffix}`, `${installation.file}${suffix}.old`);
      await installation.server.start();
      await expectReconciled(held);
    });

    test("the command also restores it while the WAL of a killed server exists", async () => {
      const held = await startWithUsers();
      const copy = await makeCopy();
      await liveOn();
      await installation.server.kill();
      expect(await installation.command("restore", copy, "--yes")).toMatchObject({ lost_users: ["newcomer"] });
      await installation.server.start();
      await expectReconciled(held);
    });

    test("while its server runs: the command refuses, and so does a command that finds another file", async () => {
      installation = await startInstallation();
      await installation.addUser("anna");
      const copy = await makeCopy();
      const refused = await installation.attempt(["restore", copy, "--yes"]);
      expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/Another server is running/)]);
      expect(await installation.canSignIn("anna")).toBe(true);
      await installation.command("restore", copy, "--check");
    });

    test("an ordinary restart ends no session: after a stop or a kill", async () => {
      installation = await startInstallation();
      const held = await holdEverything();
      await installation.server.stop();
      await installation.server.start();
      expect(await findSignedInUser(installation.party, held.browser)).toBe(held.anna.id);
      await installation.addUser("bert");
      await installation.server.kill();
      await installation.server.start();
      expect(await findSignedInUser(installation.party, held.browser)).toBe(held.anna.id);
      expect(await installation.command("restore", "--report")).toBeNull();
    });
  });
}
