import { gzipSync } from "node:zlib";
import type { Request } from "playwright";
import { describe, expect, it } from "vitest";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import { goToSecondFactor, stepPage } from "./support/factors.ts";
import { consentPage, loginPage, readDetail } from "./support/pages.ts";
import { linkFor, resetPages } from "./support/password-reset.ts";

/** Limits of the sign-in page, compressed: document and style sheet; all resources. */
const MAX_PAGE_BYTES = 10_000;
const MAX_ALL_BYTES = 50_000;

/** Limits of the larger pages of the login area: document and style sheet. */
const MAX_STEP_PAGE_BYTES = 12_288;
const MAX_RESET_PAGE_BYTES = 12_288;

/** Limit of the client script, which every page of the login area loads once. */
const MAX_SCRIPT_BYTES = 12_288;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

/** Opens the sign-in page and returns what it fetched from the product, by kind. */
function loadSignIn(anna: BrowserUser) {
  return weighPage(anna, () => anna.page.goto(`${clientApp.url}/sign-in`, { waitUntil: "networkidle" }));
}

/** Returns what is fetched from the product meanwhile, by kind. */
async function weighPage(anna: BrowserUser, happens: () => Promise<unknown>) {
  const fetched: Request[] = [];
  anna.page.on("requestfinished", (request) => fetched.push(request));
  await happens();
  const own = fetched.filter((request) => new URL(request.url()).origin === installation.server.url);
  const weigh = async (request: Request) => {
    const { responseBodySize } = await request.sizes();
    const response = await request.response();
    // Pages are sent uncompressed; measure them as a proxy would compress them.
    const isPlain = request.resourceType() === "document" && response?.status() === 200;
    return isPlain ? gzipSync((await response?.body()) ?? "").length : responseBodySize;
  };
  return Promise.all(
    own.map(async (request) => ({ kind: request.resourceType(), bytes: await weigh(request), url: request.url() })),
  );
}

type Fetched = Awaited<ReturnType<typeof weighPage>>;

const sum = (some: Fetched) => some.reduce((total, { bytes }) => total + bytes, 0);

/** Expects no script, and a document and style sheet of less than `maxBytes`. */
function expectLightPage(fetched: Fetched, maxBytes: number): void {
  expect(fetched.filter(({ kind }) => kind === "script")).toEqual([]);
  expect(sum(fetched.filter(({ kind }) => kind === "document" || kind === "stylesheet"))).toBeLessThan(maxBytes);
}

/** Expects the client script and no other, neither in the page nor preloaded. */
async function expectSmallScript({ page }: BrowserUser, fetched: Fetched): Promise<void> {
  const scripts = fetched.filter(({ kind }) => kind === "script");
  expect(scripts.map(({ url }) => new URL(url).pathname)).toEqual([expect.stringMatching(/^\/assets\/client-/)]);
  expect(sum(scripts)).toBeLessThan(MAX_SCRIPT_BYTES);
  expect(await page.locator("script:not([src]), link[rel=modulepreload]").count()).toBe(0);
}

describe("the sign-in page", () => {
  it("without JavaScript is light and complete: no script at all", async () => {
    const anna = await installation.open({ javaScript: false });
    const fetched = await loadSignIn(anna);
    expectLightPage(fetched, MAX_PAGE_BYTES);
    expect(sum(fetched)).toBeLessThan(MAX_ALL_BYTES);
    await anna.close();
  });

  it("with JavaScript loads one small script, no library, and nothing from other hosts", async () => {
    const anna = await installation.open();
    const fetched = await loadSignIn(anna);
    await expectSmallScript(anna, fetched);
    expect(sum(fetched)).toBeLessThan(MAX_ALL_BYTES);
    const origins = new Set(anna.requests.map((url) => new URL(url).origin));
    expect([...origins].sort()).toEqual([clientApp.url, installation.server.url].sort());
    await anna.close();
  });

  it.each([
    ["script", "**/assets/*.js"],
    ["style sheet", "**/assets/*.css"],
  ])("works when its %s does not load", async (_what, files) => {
    const anna = await installation.open({ expected: [/^Failed to load resource: net::ERR_FAILED/] });
    await anna.context.route(files, (route) => route.abort());
    const user = await installation.createUser();
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
    await anna.close();
  });
});

describe("the page of the second step", () => {
  /** Reloads the page with an empty cache. */
  const loadStep = async (anna: BrowserUser) => {
    const user = await installation.createUser();
    await giveTotp(installation.server, user);
    await giveKey(installation.server, user);
    await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
    await stepPage(anna).choose.totp.click();
    await stepPage(anna).code.waitFor();
    const session = await anna.context.newCDPSession(anna.page);
    await session.send("Network.clearBrowserCache");
    return weighPage(anna, () => anna.page.reload({ waitUntil: "networkidle" }));
  };

  it("without JavaScript is light and complete", async () => {
    const anna = await installation.open({ javaScript: false });
    const fetched = await loadStep(anna);
    expectLightPage(fetched, MAX_STEP_PAGE_BYTES);
    await anna.close();
  });

  it("with JavaScript loads one small script, and no library for pages", async () => {
    const anna = await installation.open();
    await expectSmallScript(anna, await loadStep(anna));
    await anna.close();
  });
});

describe("the page of a new password", () => {
  const loadReset = async (anna: BrowserUser) => {
    const link = await linkFor(installation.server, await installation.createUser());
    return weighPage(anna, () => anna.page.goto(link, { waitUntil: "networkidle" }));
  };

  it("without JavaScript is light and complete", async () => {
    const anna = await installation.open({ javaScript: false });
    const fetched = await loadReset(anna);
    expect(await resetPages(anna).save.isEnabled()).toBe(true);
    expectLightPage(fetched, MAX_RESET_PAGE_BYTES);
    expect(sum(fetched)).toBeLessThan(MAX_ALL_BYTES);
    await anna.close();
  });

  it("with JavaScript loads one small script; the list of common passwords stays with the server", async () => {
    const anna = await installation.open();
    await expectSmallScript(anna, await loadReset(anna));
    await anna.close();
  });
});

describe("data that others receive", () => {
  it("the source of a signed-in page contains no cookie and no token but the form's own", async () => {
    const anna = await installation.open();
    const user = await installation.createUser();
    const partner = await installation.openClientApp();
    await anna.page.goto(`${partner.url}/sign-in`);
    await loginPage(anna).signIn(user);
    await consentPage(anna).allow.waitFor();
    const source = await anna.page.content();
    const cookies = await anna.context.cookies(installation.server.url);
    expect(cookies.length).toBeGreaterThan(2);
    const secrets = cookies.filter(({ name }) => name !== "i18next").map(({ value }) => value);
    expect(secrets.filter((value) => source.includes(value))).toEqual([]);
    // The challenge of the form contains the encrypted request.
    const challenge = new URL(anna.page.url()).searchParams.get("consent_challenge");
    expect(challenge).toMatch(/eyJ/);
    expect(source.replaceAll(String(challenge), "")).not.toMatch(/eyJ[\w-]{10}/);
    await anna.close();
  });

  it("from the address that the browser came from: never a page with a challenge", async () => {
    const anna = await installation.open();
    const user = await installation.createUser();
    const referrers: string[] = [];
    anna.context.on("request", (request) => {
      if (!request.url().startsWith(installation.server.url)) referrers.push(request.headers().referer ?? "");
    });
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(referrers.filter((referrer) => referrer.startsWith(installation.server.url))).toEqual([]);
    await anna.close();
  });
});

it.each([true, false])("a page that breaks its policy would be noticed here (JavaScript: %s)", async (javaScript) => {
  const anna = await installation.open({ javaScript });
  await anna.page.goto(`${clientApp.url}/sign-in`);
  await anna.page.evaluate(() => {
    document.body.append(Object.assign(document.createElement("img"), { src: "https://elsewhere.example/spy.png" }));
  });
  await expect.poll(() => anna.problems.join("\n")).toContain("violates the following Content Security Policy");
  await anna.context.close();
});
