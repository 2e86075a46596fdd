import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import { answerAt, connect, type ExternalDesk, newPerson, openDesk } from "#tests/http/external/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { API, type Chain, openPageChain, told } from "./api.ts";
import { createDesk, pathOf, RETURN_URL, type SettingsDesk } from "./steps.ts";

let desk: ExternalDesk;
let settings: SettingsDesk;
let anna: TestUser;
let browser: Browser;
let chain: Chain;

beforeAll(async () => {
  desk = await openDesk();
  settings = await createDesk(desk.server);
});
afterAll(() => desk?.close());

beforeEach(async () => {
  anna = await desk.server.users.create();
  ({ browser, chain } = await openPageChain(desk.server, settings, anna));
});

const accountsOf = (user: TestUser) => listExternalAccounts(desk.server.context.store, user.id);

/** Makes the call with the browser's cookies, like the page's script. */
async function askForUrl(provider: string, body: object = {}, who: Browser = browser) {
  const answer = await who.postJson(`${API}/oauth/connect-url/${provider}`, body, {
    headers: { authorization: `Bearer ${chain.token()}` },
  });
  const next = answer.headers["x-api-next-token"];
  if (typeof next === "string") chain = { ...chain, token: () => next };
  return answer;
}

const begun = z.object({ url: z.url() });

const answerOf = (answer: { status: number; json(): unknown }) => [answer.status, answer.json()];

test("connected accounts are listed, others left out", async () => {
  expect(told(await chain.get("oauth/accounts"))).toEqual([200, {}]);
  const eva = newPerson(desk.upstream.google);
  await connect(desk.server, desk.upstream.google, eva, anna.id, { name: eva.email });
  await connect(desk.server, desk.upstream.apple, newPerson(desk.upstream.apple), anna.id);
  expect(told(await chain.get("oauth/accounts"))).toEqual([
    200,
    { google: { id: expect.any(String), name: eva.email }, apple: { id: expect.any(String) } },
  ]);
});

describe("disconnecting over the API", () => {
  const remove = (provider: string) => chain.call(`oauth/${provider}`, { method: "DELETE" });

  test("takes one account away, and that alone", async () => {
    for (const upstream of [desk.upstream.google, desk.upstream.microsoft])
      await connect(desk.server, upstream, newPerson(upstream), anna.id);
    expect(told(await remove("google"))).toEqual([200, {}]);
    expect(Object.keys(await accountsOf(anna))).toEqual(["microsoft"]);
    expect(told(await remove("google"))).toEqual([400, { error: "account not connected" }]);
  });

  test("knows no other provider", async () => {
    expect(told(await remove("myspace"))).toEqual([404, { error: "page_not_found" }]);
  });

  test("wants a fresh proof of identity", async () => {
    await connect(desk.server, desk.upstream.google, newPerson(desk.upstream.google), anna.id);
    for (const seconds of [300, 301]) {
      await chain.get("userinfo");
      desk.server.clock.advance(seconds);
    }
    expect(told(await remove("google"))).toEqual([403, { error: "reauthentication_required" }]);
    expect(Object.keys(await accountsOf(anna))).toEqual(["google"]);
  });
});

describe("connecting over the API", () => {
  test.each([
    ["back to the application that opened the settings", RETURN_URL],
    ["back to the settings", null],
  ])("leads to the provider and %s", async (_what, returnToUrl) => {
    const eva = newPerson(desk.upstream.google);
    const answer = await askForUrl("google", { returnToUrl });
    expect(answer.status).toBe(200);
    const { url } = begun.parse(answer.json());
    expect(new URL(url).origin).toBe(new URL(desk.upstream.google.issuer).origin);
    const atProvider = await browser.follow(await browser.get(url));
    const end = await browser.get((await answerAt(browser, atProvider, eva.sub)).location ?? "");
    expect(end.location).toContain("status=oauth-connect-success");
    expect(end.location?.startsWith(returnToUrl ?? `${desk.server.url}/manage`)).toBe(true);
    expect(Object.keys(await accountsOf(anna))).toEqual(["google"]);
  });

  test("connects nothing when another browser comes back", async () => {
    const eva = newPerson(desk.upstream.google);
    const { url } = begun.parse((await askForUrl("google")).json());
    const other = desk.server.browser();
    const atProvider = await other.follow(await other.get(url));
    const end = await other.get((await answerAt(other, atProvider, eva.sub)).location ?? "");
    expect(pathOf(end) ?? "").not.toContain("oauth-connect-success");
    expect(await accountsOf(anna)).toEqual({});
  });

  test("is refused without the browser's cookie", async () => {
    const answer = await chain.post("oauth/connect-url/google", {});
    expect(told(answer)).toEqual([400, { error: "bad request" }]);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test.each([
    "https://evil.example/",
    "//evil.example",
    "https:evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    `${RETURN_URL}/more`,
    `${RETURN_URL}%0d%0aLocation:%20https://evil.example`,
    RETURN_URL.replace("localhost", "localhost@evil.example"),
    RETURN_URL.replace("localhost", "localhost.evil.example"),
    "not an address",
    "",
  ])("is refused with the return address %s", async (returnToUrl) => {
    expect(answerOf(await askForUrl("google", { returnToUrl }))).toEqual([400, { error: "bad request" }]);
  });

  test("is refused with what is no address at all", async () => {
    const unparsed = [400, { error: "Could not parse request" }];
    expect(answerOf(await askForUrl("google", { returnToUrl: 1 }))).toEqual(unparsed);
    expect(answerOf(await askForUrl("google", { returnToUrl: ["a"] }))).toEqual(unparsed);
  });

  test("knows no other provider", async () => {
    expect(answerOf(await askForUrl("myspace"))).toEqual([404, { error: "page_not_found" }]);
  });
});
