import { randomBytes } from "node:crypto";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { companionFilesOf } from "#app/db/files/companion-files.server.ts";
import { createPasswordLink, createSettingsLink } from "#app/domain/user/links.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, obtainTokens, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import { choose, openLink, redirectTarget, SUCCESS } from "#tests/http/password-reset/steps.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { finish, openStep } from "#tests/http/second-factor/steps.ts";
import { API, callWith } from "#tests/http/settings/api.ts";
import { createBrowser, type HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { readTokens, sendApiRequest } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { databaseOfRun } from "./command.ts";
import { type DiskFailure, diskFailures, folderSeenBy } from "./disk-failures.ts";

const TYPED = { username: "anna", password: TEST_PASSWORD };
const SCENE_MS = 120_000;

/** Prepares everything that users and applications hold when the disk fails. */
async function openScene(failure: DiskFailure) {
  const installation = await startInstallation();
  const { id } = await installation.addUser("anna");
  const berta = await installation.addUser("berta");
  await installation.addUser("carla");
  const prepared = await installation.administer(async (context) => ({
    app: await giveTotp({ context, clock: context.clock }, berta),
    link: (await createPasswordLink(context, "carla")).url,
    settings: new URL((await createSettingsLink(context, "anna", { returnTo: null })).url),
  }));
  await installation.server.stop();
  await installation.server.start(failure.through(installation.folder));
  const { party, server } = installation;
  const browserOf = (language = "en") => createBrowser({ base: server.url, language });
  const english = browserOf();
  const german = browserOf("de");
  const linked = browserOf();
  return {
    ...{ office: installation, party, browserOf, linked },
    app: prepared.app,
    id,
    pid: server.pid(),
    settingsToken: prepared.settings.searchParams.get("t") ?? "",
    choosing: await openLink(linked, prepared.link),
    english: await openForm(english, party.request().url),
    german: await openForm(german, party.request().url),
    step: await openStep(browserOf(), party.request().url, { ...TYPED, username: "berta" }),
    tokens: await obtainTokens(browserOf(), party, party.request({ scope: "openid offline" }), {
      ...TYPED,
      id,
      displayName: "",
    }),
  };
}

/** Expects an error page in the user's language without internals, whose reference occurs in the log. */
async function expectErrorPage(response: HttpResponse, language: string, log: () => string) {
  expect([response.status, response.location, response.page().lang]).toEqual([500, null, language]);
  const { server_error } = stateOf(response);
  const { reference } = Object(server_error);
  expect(response.page().text).toContain(reference);
  // The log is written in batches.
  await expect.poll(() => log().includes(`"requestId":"${reference}"`)).toBe(true);
  expect(response.body).not.toMatch(/SQLITE|disk I\/O|is full|malformed|\bat \S+ \(/i);
  expect(response.setCookies.filter((cookie) => cookie.startsWith("gatehouse_session"))).toEqual([]);
}

/** Copies the idle server's database folder and returns the path of the copied file. */
function copyOfFolder(installation: Installation): string {
  const folder = `${installation.folder}-copied`;
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(folderSeenBy(installation), folder, { recursive: true });
  return join(folder, basename(installation.file));
}

if (process.env.GATEHOUSE_TEST_DIALECT !== "postgres") {
  describe.each(diskFailures())("a disk $name", (failure) => {
    let scene: Awaited<ReturnType<typeof openScene>>;

    beforeAll(async () => {
      scene = await openScene(failure);
      await failure.break(scene.office);
    }, SCENE_MS);

    afterAll(() => scene?.office.close());

    const log = () => scene.office.server.output();

    test("leaves an open sign-in page unchanged, or shows that the page is unavailable", async () => {
      const { english } = scene;
      const page = await english.browser.get(english.page.url);
      if (!failure.canBeRead) return expectErrorPage(page, "en", log);
      expect(page.status).toBe(200);
      page.page().form("/login/native");
    });

    // Proves requirement 125.
    test("signs no user in: a page in the user's language reports it, and no session cookie is set", async () => {
      const { english, german, party } = scene;
      await expectErrorPage(await english.post(TYPED), "en", log);
      await expectErrorPage(await english.post(TYPED, { headers: { accept: "*/*" } }), "en", log);
      await expectErrorPage(await german.post(TYPED), "de", log);
      if (failure.canBeRead) expect(await findSignedInUser(party, english.browser)).toBe("login_required");
    });

    test("shows the page of a new sign-in, of which nothing is stored, or that it is unavailable", async () => {
      const { browserOf, party } = scene;
      for (const language of ["en", "de"]) {
        const page = await open(browserOf(language), party.request().url);
        if (!failure.canBeRead) await expectErrorPage(page, language, log);
        else
          expect([page.status, page.page().lang, page.page().form("/login/native").action]).toEqual([
            200,
            language,
            expect.any(String),
          ]);
      }
    });

    test("starts no sign-in whose request has to be stored: a page reports it", async () => {
      const { browserOf, party } = scene;
      const state = randomBytes(2_000).toString("base64url");
      for (const language of ["en", "de"]) {
        await expectErrorPage(await open(browserOf(language), party.request({ state }).url), language, log);
      }
    });

    test("changes no password: a page reports it", async () => {
      const { linked, choosing } = scene;
      await expectErrorPage(await choose(linked, choosing), "en", log);
    });

    test("returns JSON from the second-factor calls, the settings API and the token endpoint", async () => {
      const { step, app, office: installation, settingsToken, party, tokens } = scene;
      const call = await step.call("/mfa/verify-totp", { code: await app.code() });
      expect([call.status, call.json()]).toEqual([500, { error: "internal" }]);
      // The response has no next token: the failed transaction did not use up this one either.
      const headers = { authorization: `Bearer ${settingsToken}` };
      const api = await sendApiRequest(`${installation.server.url}${API}/userinfo`, { headers });
      expect([api.status, api.json()]).toEqual([500, { error: "internal" }]);
      const refresh = await party.refresh(tokens.refreshToken);
      expect([refresh.status, refresh.json()]).toEqual([500, expect.objectContaining({ error: "server_error" })]);
      expect(refresh.headers.get("cache-control")).toContain("no-store");
    });

    // Proves requirement 125.
    test("makes the readiness check fail", async () => {
      const probe = async () => (await fetch(`${scene.office.server.url}/readyz`)).json();
      const expectedStatus = { status: "not ready", checks: { serving: "ok", writes: "failed" } };
      await expect.poll(probe, { timeout: 20_000 }).toMatchObject(expectedStatus);
    });

    test("does not end the process, and is logged with its cause", async () => {
      expect((await scene.browserOf().get("/healthz")).status).toBe(200);
      expect(log()).toMatch(failure.errorPattern);
      expect(log()).not.toMatch(/unhandled rejection/);
    });

    // Proves requirement 125.
    test("that is repaired: the same forms, codes, links and tokens work in the same process; no change was half done", async () => {
      await failure.repair(scene.office);
      const {
        english,
        german,
        party,
        step,
        app,
        office: installation,
        linked,
        choosing,
        tokens,
        settingsToken,
        id,
      } = scene;
      for (const form of [english, german]) {
        expect(redirectParameters(await followRedirects(form.browser, await form.post(TYPED)))).toHaveProperty("code");
        expect(await findSignedInUser(party, form.browser)).toBe(id);
      }
      codeOf(await finish(step, await step.call("/mfa/verify-totp", { code: await app.code() })));
      expect(redirectTarget(await choose(linked, choosing))).toBe(SUCCESS);
      expect((await callWith(installation.server, settingsToken, "userinfo")).status).toBe(200);
      readTokens(await party.refresh(tokens.refreshToken));
      expect(installation.server.pid()).toBe(scene.pid);
      expect((await linked.get("/readyz")).status).toBe(200);
      await expectIntactTrail();
    });

    /** Expects an intact audit chain, and each event once in the file beside the database. */
    async function expectIntactTrail() {
      const { office: installation } = scene;
      const file = copyOfFolder(installation);
      const verified = await installation.attempt(["audit", "verify", "--json"], { DATABASE_URL: `sqlite:${file}` });
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/"ok": ?true/)]);
      const database = new Database(file, { readonly: true });
      const hashes = database.prepare("SELECT hash FROM audit_events ORDER BY sequence").pluck().all();
      const changed = database.prepare("SELECT count(*) FROM audit_events WHERE type = 'password-reset.done'").pluck();
      expect(changed.get()).toBe(1);
      database.close();
      const lines = readFileSync(companionFilesOf(file).audit, "utf8").split("\n").filter(Boolean);
      expect(lines.map((line) => JSON.parse(line).hash)).toEqual(hashes);
    }
  });
} else {
  test(
    "a read-only PostgreSQL fails with a page, and recovers",
    async () => {
      const database = await databaseOfRun();
      const installation = await startInstallation(database.env);
      onTestFinished(async () => {
        await installation.close();
        await database.remove();
      });
      await installation.addUser("anna");
      const form = await openForm(
        createBrowser({ base: installation.server.url, language: "de" }),
        installation.party.request().url,
      );
      const { DATABASE_URL: url = "" } = database.env;
      // A request whose connection is just being closed gets a 503, which may be repeated.
      const postAfterReconnection = () =>
        vi.waitFor(
          async () => {
            const response = await form.post(TYPED);
            expect(response.status).not.toBe(503);
            return response;
          },
          { timeout: 10_000 },
        );
      await letWrite(url, false);
      await expectErrorPage(await postAfterReconnection(), "de", installation.server.output);
      expect((await installation.party.refresh("x")).status).toBeGreaterThanOrEqual(400);
      await letWrite(url, true);
      expect(redirectParameters(await followRedirects(form.browser, await postAfterReconnection()))).toHaveProperty(
        "code",
      );
    },
    SCENE_MS,
  );
}

/** Makes a database read-only or writable, like a server that became a replica, and closes its connections. */
async function letWrite(url: string, may: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = client.escapeIdentifier(new URL(url).pathname.slice(1));
  await client.query("SET default_transaction_read_only = off");
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${may ? "off" : "on"}`);
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  await client.end();
}
