// Proves requirement 146.
import pg from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { createDatabase } from "#tests/support/databases.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestServer, type TestUser } from "#tests/support/server.ts";
import { startDatabaseProxy } from "./database-switch.ts";

let anna: TestUser;

const database = await createDatabase("postgres");
if (database.target.dialect !== "postgres") throw new Error("no PostgreSQL");
const proxy = await startDatabaseProxy(new URL(database.target.url));
const server = await serverOfFile({ env: { DATABASE_URL: proxy.url } });
const client = await server.clients.create({ firstParty: true });
const party = createRelyingParty({ issuer: server.url, client });

afterAll(async () => {
  await proxy?.close();
  await database?.remove();
});

let browser: ReturnType<TestServer["browser"]>;
beforeEach(async () => {
  browser = server.browser();
  anna = await server.users.create();
});

const typed = () => ({ username: anna.username, password: anna.password });

async function expectUnavailable() {
  const form = await openForm(browser, party.request().url);
  return {
    form,
    async look() {
      const basic = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`;
      const send = (path: string, type: string, body: string) =>
        server.browser().send("POST", path, body, { headers: { "content-type": type, authorization: basic } });
      const urlencoded = "application/x-www-form-urlencoded";
      const responses = {
        "/login/native": await form.post(typed()),
        "/oauth2/auth": await server.browser().get(party.request().url),
        "/login": await browser.get(`/login?login_challenge=${encodeURIComponent(form.challenge)}`),
        "/oauth2/token": await send("/oauth2/token", urlencoded, "grant_type=refresh_token&refresh_token=none"),
        "/oauth2/revoke": await send("/oauth2/revoke", urlencoded, "token=none"),
        "/userinfo": await server.browser().get("/userinfo", { headers: { authorization: "Bearer none" } }),
        redeem: await send(
          "/api/v1/rpc/registration/redeem",
          "application/json",
          JSON.stringify({ registration_token: "a".repeat(43) }),
        ),
        manage: await server.browser().get("/manage?t=none"),
      };
      const found = Object.entries(responses).map(([path, { status, headers }]) => [
        path,
        status,
        headers["retry-after"],
      ]);
      expect(found).toEqual(Object.keys(responses).map((path) => [path, 503, "5"]));
      expect(responses["/login"].page().state()).toMatchObject({ server_error: { code: 503 } });
      expect(JSON.parse(responses["/oauth2/token"].body)).toEqual({ error: "temporarily_unavailable" });
      expect(JSON.parse(responses.redeem.body)).toEqual({ error: "overloaded" });
    },
  };
}

test("PostgreSQL that refuses connections: every form, call and engine path responds 503 with Retry-After, and it passes", async () => {
  const { form, look } = await expectUnavailable();
  await proxy.disconnect();
  try {
    await look();
  } finally {
    await proxy.reconnect();
  }
  expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
}, 60_000);

test("a form of the sign-in that is sent meanwhile is shown again, filled, and works as soon as the database is back", async () => {
  const app = await giveTotp(server, anna);
  const form = await openForm(browser, party.request().url);
  await proxy.disconnect();
  const refused = await form.post(typed()).finally(() => proxy.reconnect());
  expect([refused.status, stateOf(refused).error, refused.headers["retry-after"]]).toEqual([503, "overloaded", "5"]);
  expect(refused.body).not.toContain(anna.password);
  const again = refused.page().form("/login/native");
  expect(again.fields).toContainEqual(["username", anna.username]);
  const accepted = await browser.submit(refused, again, { password: anna.password });
  const step = await followRedirects(browser, accepted);
  const code = await app.code();
  const codeForm = step.page().form("/mfa/verify");
  await proxy.disconnect();
  const refusedCode = await browser.submit(step, codeForm, { code }).finally(() => proxy.reconnect());
  expect([refusedCode.status, stateOf(refusedCode).error]).toEqual([503, "overloaded"]);
  const codeAgain = await browser.submit(refusedCode, refusedCode.page().form("/mfa/verify"), { code });
  expect(redirectParameters(await followRedirects(browser, codeAgain))).toHaveProperty("code");
}, 60_000);

test("PostgreSQL that ends its connections in the middle of a request (57P01): 503, and the next request succeeds", async () => {
  if (database.target.dialect !== "postgres") throw new Error("no PostgreSQL");
  const form = await openForm(browser, party.request().url);
  const administrator = new pg.Client({ connectionString: database.target.url, application_name: "administrator" });
  await administrator.connect();
  try {
    await administrator.query("BEGIN");
    await administrator.query("LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE");
    const posting = form.post(typed());
    const waiting =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse' AND wait_event_type = 'Lock'";
    const here = `${waiting} AND datname = current_database()`;
    await expect.poll(async () => (await administrator.query(here)).rowCount).toBe(1);
    await administrator.query(`SELECT pg_terminate_backend(pid) FROM (${here}) AS waiting`);
    const response = await posting;
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "5"]);
    expect(browser.jar.find("gatehouse_session")).toBeNull();
  } finally {
    await administrator.query("ROLLBACK");
    await administrator.end();
  }
  expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
}, 60_000);
