// Proves requirement 146.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { openChain } from "#tests/http/settings/api.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { holdDatabase } from "./database-lock.ts";

/** Time limit of every response, errors included. */
const PATIENCE_MS = 15_000;

const server = await serverOfFile();
const anna = await server.users.create();
const client = await server.clients.create({ firstParty: true });
const party = createRelyingParty({ issuer: server.url, client });

const typed = () => ({ username: anna.username, password: anna.password });

// Proves requirement 125.
test("a database that another process locks for long: sign-ins fail with a page, and recover", async () => {
  const browser = server.browser();
  const form = await openForm(browser, party.request().url);
  const letGo = await holdDatabase(server.context.config.database);
  try {
    const startedAt = performance.now();
    const response = await form.post(typed());
    expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
    expect([response.status, response.location, response.headers["retry-after"]]).toEqual([503, null, "5"]);
    expect(response.page().state()).toMatchObject({ error: "overloaded" });
    expect(response.page().form("/login/native").fields).toContainEqual(["username", anna.username]);
    expect(browser.jar.find("gatehouse_session")).toBeNull();
  } finally {
    await letGo();
  }
  expect(redirectParameters(await followRedirects(browser, await form.post(typed())))).toHaveProperty("code");
  expect(await findSignedInUser(party, browser)).toBe(anna.id);
}, 60_000);

test("a database that another process locks for long: pages, calls and the engine respond 503 with Retry-After, never 500", async () => {
  const basic = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64")}`;
  const send = (path: string, type: string, body: string) =>
    server.browser().send("POST", path, body, { headers: { "content-type": type, authorization: basic } });
  const pushed = new URLSearchParams(new URL(party.request().url).search).toString();
  const chain = await openChain(server, await createSettingsClient(server), anna);
  const letGo = await holdDatabase(server.context.config.database);
  try {
    const [page, pushing, call] = await Promise.all([
      // Too long for a URL, so that it has to be stored.
      server.browser().get(party.request({ state: randomBytes(2_000).toString("base64url") }).url),
      send("/oauth2/par", "application/x-www-form-urlencoded", pushed),
      server
        .browser()
        .get("/api/v1/rpc/user/manage/userinfo", { headers: { authorization: `Bearer ${chain.token()}` } }),
    ]);
    expect([page.status, page.headers["retry-after"]]).toEqual([503, "5"]);
    expect(page.page().state()).toMatchObject({ server_error: { code: 503 } });
    expect([pushing.status, pushing.headers["retry-after"], JSON.parse(pushing.body)]).toEqual([
      503,
      "5",
      { error: "temporarily_unavailable" },
    ]);
    expect([call.status, call.headers["retry-after"], JSON.parse(call.body)]).toEqual([
      503,
      "5",
      { error: "overloaded" },
    ]);
  } finally {
    await letGo();
  }
}, 90_000);

test("a database that another process locks briefly: all requests wait, and succeed", async () => {
  const browser = server.browser();
  const form = await openForm(browser, party.request().url);
  const letGo = await holdDatabase(server.context.config.database);
  const posting = form.post(typed());
  const probe = await server.browser().get("/healthz");
  expect(probe.status).toBe(200);
  await letGo();
  expect(redirectParameters(await followRedirects(browser, await posting))).toHaveProperty("code");
});
