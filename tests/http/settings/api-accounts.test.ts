import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import { addProviderUser, connect, providersOfFile } from "#tests/http/external/providers.ts";
import { chooseUser } from "#tests/http/external/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { API, type Chain, openPageChain, statusAndBody } from "./api.ts";
import { createSettingsClient, pathOf, RETURN_URL } from "./steps.ts";

let anna: TestUser;
let browser: Browser;
let chain: Chain;

const settingsClient = await providersOfFile();
const settings = await createSettingsClient(settingsClient.server);

beforeEach(async () => {
  anna = await settingsClient.server.users.create();
  ({ browser, chain } = await openPageChain(settingsClient.server, settings, anna));
});

const accountsOf = (user: TestUser) => listExternalAccounts(settingsClient.server.context.store, user.id);

/** Makes the call with the browser's cookies, like the page's script. */
async function requestConnectUrl(provider: string, body: object = {}, caller: Browser = browser) {
  const response = await caller.postJson(`${API}/oauth/connect-url/${provider}`, body, {
    headers: { authorization: `Bearer ${chain.token()}` },
  });
  const next = response.headers["x-api-next-token"];
  if (typeof next === "string") chain = { ...chain, token: () => next };
  return response;
}

const urlSchema = z.object({ url: z.url() });

const statusAndJson = (response: { status: number; json(): unknown }) => [response.status, response.json()];

test("connected accounts are listed, others left out", async () => {
  expect(statusAndBody(await chain.get("oauth/accounts"))).toEqual([200, {}]);
  const eva = addProviderUser(settingsClient.upstream.google);
  await connect(settingsClient.server, settingsClient.upstream.google, eva, anna.id, { name: eva.email });
  await connect(
    settingsClient.server,
    settingsClient.upstream.apple,
    addProviderUser(settingsClient.upstream.apple),
    anna.id,
  );
  expect(statusAndBody(await chain.get("oauth/accounts"))).toEqual([
    200,
    { google: { id: expect.any(String), name: eva.email }, apple: { id: expect.any(String) } },
  ]);
});

describe("disconnecting over the API", () => {
  const remove = (provider: string) => chain.call(`oauth/${provider}`, { method: "DELETE" });

  test("removes one account, and only that", async () => {
    for (const upstream of [settingsClient.upstream.google, settingsClient.upstream.microsoft])
      await connect(settingsClient.server, upstream, addProviderUser(upstream), anna.id);
    expect(statusAndBody(await remove("google"))).toEqual([200, {}]);
    expect(Object.keys(await accountsOf(anna))).toEqual(["microsoft"]);
    expect(statusAndBody(await remove("google"))).toEqual([400, { error: "account not connected" }]);
  });

  test("refuses another provider", async () => {
    expect(statusAndBody(await remove("myspace"))).toEqual([404, { error: "page_not_found" }]);
  });

  test("wants a fresh proof of identity", async () => {
    await connect(
      settingsClient.server,
      settingsClient.upstream.google,
      addProviderUser(settingsClient.upstream.google),
      anna.id,
    );
    for (const seconds of [300, 301]) {
      await chain.get("userinfo");
      settingsClient.server.clock.advance(seconds);
    }
    expect(statusAndBody(await remove("google"))).toEqual([403, { error: "reauthentication_required" }]);
    expect(Object.keys(await accountsOf(anna))).toEqual(["google"]);
  });
});

describe("connecting over the API", () => {
  test.each([
    ["to the application that opened the settings", RETURN_URL],
    ["back to the settings", null],
  ])("leads to the provider and %s", async (_what, returnToUrl) => {
    const eva = addProviderUser(settingsClient.upstream.google);
    const response = await requestConnectUrl("google", { returnToUrl });
    expect(response.status).toBe(200);
    const { url } = urlSchema.parse(response.json());
    expect(new URL(url).origin).toBe(new URL(settingsClient.upstream.google.issuer).origin);
    const atProvider = await browser.follow(await browser.get(url));
    const end = await browser.get((await chooseUser(browser, atProvider, eva.sub)).location ?? "");
    expect(end.location).toContain("status=oauth-connect-success");
    expect(end.location?.startsWith(returnToUrl ?? `${settingsClient.server.url}/manage`)).toBe(true);
    expect(Object.keys(await accountsOf(anna))).toEqual(["google"]);
  });

  test("connects nothing when another browser returns", async () => {
    const eva = addProviderUser(settingsClient.upstream.google);
    const { url } = urlSchema.parse((await requestConnectUrl("google")).json());
    const other = settingsClient.server.browser();
    const atProvider = await other.follow(await other.get(url));
    const end = await other.get((await chooseUser(other, atProvider, eva.sub)).location ?? "");
    expect(pathOf(end) ?? "").not.toContain("oauth-connect-success");
    expect(await accountsOf(anna)).toEqual({});
  });

  test("is refused without the browser's cookie", async () => {
    const response = await chain.post("oauth/connect-url/google", {});
    expect(statusAndBody(response)).toEqual([400, { error: "bad request" }]);
    expect(response.headers.get("set-cookie")).toBeNull();
  });

  // Proves requirement 115.
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
    expect(statusAndJson(await requestConnectUrl("google", { returnToUrl }))).toEqual([400, { error: "bad request" }]);
  });

  test("is refused with an invalid address", async () => {
    const unparsed = [400, { error: "Could not parse request" }];
    expect(statusAndJson(await requestConnectUrl("google", { returnToUrl: 1 }))).toEqual(unparsed);
    expect(statusAndJson(await requestConnectUrl("google", { returnToUrl: ["a"] }))).toEqual(unparsed);
  });

  test("refuses another provider", async () => {
    expect(statusAndJson(await requestConnectUrl("myspace"))).toEqual([404, { error: "page_not_found" }]);
  });
});
