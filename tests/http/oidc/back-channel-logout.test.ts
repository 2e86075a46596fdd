import { once } from "node:events";
import { createServer } from "node:http";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "#tests/support/free-port.ts";
import { fetchKeys } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { followRedirects, open, seedTokens } from "./browser-steps.ts";

/** A request to the application's endpoint. */
type Call = { method: string; contentType: string; body: string };
let calls: Call[];
let answerWith: number | "nothing";

const server = await serverOfFile();
const anna = await server.users.create();
const port = await freePort();
const application = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  calls.push({ method: request.method ?? "", contentType: request.headers["content-type"] ?? "", body });
  if (answerWith === "nothing") return;
  response.writeHead(answerWith).end();
});
application.listen(port, "127.0.0.1");
await once(application, "listening");
const party = await server.parties.create({
  firstParty: true,
  backchannelLogoutUri: `http://127.0.0.1:${port}/back-channel`,
});

afterAll(async () => {
  application?.closeAllConnections();
  await new Promise((done) => application?.close(done));
});

beforeEach(() => {
  calls = [];
  answerWith = 200;
});

afterEach(() => application.closeAllConnections());

/** Signs in and out; returns the last response and the claims of the ID token. */
async function signInAndOut() {
  const browser = server.browser();
  const { idToken } = await seedTokens(server, browser, party, party.request(), anna);
  const page = await open(browser, party.logoutUrl());
  const end = await followRedirects(browser, await browser.submit(page, page.page().form("/logout/accept")));
  return { end, session: (await party.verifyIdToken(idToken)).payload };
}

describe("a logout", () => {
  test("is sent to the application's back channel with a valid logout token", async () => {
    const { session } = await signInAndOut();
    const posted = { method: "POST", contentType: expect.stringMatching(/^application\/x-www-form-urlencoded/) };
    await expect.poll(() => calls).toMatchObject([posted]);

    const token = new URLSearchParams(calls[0]?.body).get("logout_token") ?? "";
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(await fetchKeys(server.url)), {
      issuer: server.url,
      audience: party.clientId,
      typ: "logout+jwt",
    });
    // OpenID Connect Back-Channel Logout 1.0 §2.4.
    expect(payload).toMatchObject({
      sub: anna.id,
      sid: session.sid,
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    expect(payload).not.toHaveProperty("nonce");
    expect(protectedHeader.alg).toBe("RS256");
  });

  test("completes although the application's endpoint fails; the log reports it without the token", async () => {
    answerWith = 500;
    const { end } = await signInAndOut();
    expect(end.page().state()).toMatchObject({ status: "accepted" });
    const line = () => server.lines().find(({ event }) => event === "backchannel-logout.postponed");
    await expect.poll(line).toMatchObject({ clientId: party.clientId, reason: "status 500" });
    expect(JSON.stringify(line())).not.toMatch(/eyJ/);
  });

  test("does not wait for an endpoint that never responds", async () => {
    answerWith = "nothing";
    const started = performance.now();
    const { end } = await signInAndOut();
    expect(end.page().state()).toMatchObject({ status: "accepted" });
    expect(performance.now() - started).toBeLessThan(4_000);
    // Otherwise the next test could receive it.
    await expect.poll(() => calls).toHaveLength(1);
  });

  test("is not sent to applications that did not use the session", async () => {
    const other = await server.parties.create({ firstParty: true });
    const browser = server.browser();
    await seedTokens(server, browser, other, other.request(), anna);
    const page = await open(browser, other.logoutUrl());
    await browser.submit(page, page.page().form("/logout/accept"));
    expect(calls).toEqual([]);
  });
});

test("an ID token of such an application contains the sid of the later logout token", async () => {
  const { session } = await signInAndOut();
  expect(session.sid).toEqual(expect.stringMatching(/^[\w-]{16,}$/));
});
