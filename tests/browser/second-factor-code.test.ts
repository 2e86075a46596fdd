import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, type Installation, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveKey, giveRecoveryCodes, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { goToSecondFactor, readSecret, stepPage, wrongCode } from "./support/factors.ts";
import { alertOf, hasFocus, loginPage, readDetail, seesHeading } from "./support/pages.ts";
import { TWO_WAYS } from "./support/variants.ts";

let anna: BrowserUser;
let user: TestUser;

const installation = await installationOfFile({ env: { MFA_POLICY: "required", MFA_REMEMBER_DAYS: "30" } });
const clientApp = await installation.openClientApp({ firstParty: true });

const createUser = async (options: Parameters<Installation["open"]>[0] = {}) => {
  anna = await installation.open(options);
  user = await installation.createUser();
};
afterEach(() => anna.close());

const goToStep = () => goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);

const arrives = async () => {
  await anna.page.waitForURL(`${clientApp.url}/`);
  expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id, amr: ["pwd", "otp", "mfa"] });
};

/** Collects the pages that the browser loads, one line each. */
const countPages = () => {
  const pages: string[] = [];
  anna.page.on("request", (request) => {
    if (request.isNavigationRequest()) pages.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return pages;
};

describe.each(TWO_WAYS)("in $language, JavaScript: $javaScript", (variant) => {
  beforeEach(() => createUser(variant));

  it("a wrong code is reported, and the next one, pasted as displayed, signs in", async () => {
    const app = await giveTotp(installation.server, user);
    await goToStep();
    await seesHeading(anna, anna.t("mfaLogin.heading"));
    await stepPage(anna).enter(await wrongCode(app));
    await alertOf(anna.page).getByText(anna.t("mfaLogin.error.codeInvalid")).waitFor();
    expect(await stepPage(anna).code.inputValue()).toBe("");
    await hasFocus(stepPage(anna).code);
    const code = await app.code();
    await stepPage(anna).enter(` ${code.slice(0, 3)} ${code.slice(3)}`);
    await arrives();
  });

  it("the code of the next time step is accepted, once; a repeated one is reported", async () => {
    const app = await giveTotp(installation.server, user);
    // Valid for another half minute, which is enough for two sign-ins.
    const next = await app.code(1);
    await goToStep();
    await stepPage(anna).enter(next);
    await arrives();
    await anna.context.clearCookies();
    await goToStep();
    await stepPage(anna).enter(next);
    await alertOf(anna.page).getByText(anna.t("mfaLogin.error.codeUsed")).waitFor();
  });

  it("a ticked checkbox spares the second step of the next sign-in", async () => {
    const app = await giveTotp(installation.server, user);
    await goToStep();
    await anna.page.getByLabel(anna.t("mfaLogin.remember.label", { count: 30 })).check();
    await stepPage(anna).enter(await app.code());
    await arrives();
    await anna.context.clearCookies({ name: /session/ });
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).signIn(user);
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id, amr: ["pwd", "remembered_device"] });
  });

  it("a user without her app signs in with a recovery code, once", async () => {
    await giveTotp(installation.server, user);
    const [code = ""] = await giveRecoveryCodes(installation.server, user);
    await goToStep();
    await stepPage(anna).lost.click();
    await anna.page.getByText(anna.t("recovery.remaining", { count: 10 })).waitFor();
    await stepPage(anna).enter(code.toLowerCase().replace("-", " "));
    await arrives();
    await goToSecondFactor(anna, `${clientApp.url}/sign-in?prompt=login`, user);
    await stepPage(anna).lost.click();
    await anna.page.getByText(anna.t("recovery.remaining", { count: 9 })).waitFor();
    await stepPage(anna).enter(code);
    await alertOf(anna.page).getByText(anna.t("recovery.error.invalid")).waitFor();
  });

  it("a user without a factor sets up an app during the sign-in, and sees her recovery codes once", async () => {
    await goToStep();
    await seesHeading(anna, anna.t("mfaLogin.setup.heading"));
    await stepPage(anna).setUp.totp.click();
    await seesHeading(anna, anna.t("manageTotp.heading"));
    const app = testApp(installation.server.clock, await readSecret(anna));
    await stepPage(anna).enter(await wrongCode(app));
    await alertOf(anna.page).getByText(anna.t("mfaLogin.error.codeInvalid")).waitFor();
    // A wrong code keeps the secret.
    expect(await readSecret(anna)).toBe(app.secretBase32);
    await stepPage(anna).enter(await app.code());
    await seesHeading(anna, anna.t("recovery.heading"));
    const offered = anna.page.url();
    await stepPage(anna).recovery.make.click();
    await anna.page.getByText(anna.t("recovery.onlyOnce")).waitFor();
    const codes = await anna.page
      .getByRole("listitem")
      .filter({ hasText: /^\w{5}-\w{5}$/ })
      .allTextContents();
    expect(new Set(codes).size).toBe(10);
    await stepPage(anna).recovery.done.click();
    await arrives();
    await anna.page.goto(offered);
    expect(await anna.page.content()).not.toContain(codes[0]);
    await goToSecondFactor(anna, `${clientApp.url}/sign-in?prompt=login`, user);
    await stepPage(anna).lost.click();
    await stepPage(anna).enter(codes[9] ?? "");
    await arrives();
  });

  it("a code has one field that phones fill, with room for spaces; cancelling sends access_denied to the application", async () => {
    await giveTotp(installation.server, user);
    await goToStep();
    const { code } = stepPage(anna);
    const attributes = await code.evaluate((field) =>
      Object.fromEntries([...field.attributes].map(({ name, value }) => [name, value])),
    );
    expect(attributes).toMatchObject({
      ...{ type: "text", inputmode: "numeric", autocomplete: "one-time-code", required: "" },
      id: "code",
    });
    expect(attributes).not.toHaveProperty("maxlength");
    expect(await anna.page.locator("main input:not([type=hidden], [type=checkbox])").count()).toBe(1);
    await stepPage(anna).cancel.click();
    await anna.page.waitForURL(`${clientApp.url}/callback?**`);
    expect(await readDetail(anna.page, "error")).toBe("access_denied");
  });
});

describe("without JavaScript", () => {
  beforeEach(() => createUser({ language: "de", javaScript: false }));

  it("a pasted code with invisible characters is accepted, at the set-up and at the sign-in", async () => {
    const pasted = (code: string) => `\u200b${code.slice(0, 3)}\u00a0\u2060${code.slice(3)}\ufeff`;
    await goToStep();
    await stepPage(anna).setUp.totp.click();
    const app = testApp(installation.server.clock, await readSecret(anna));
    await stepPage(anna).enter(pasted(await app.code()));
    await seesHeading(anna, anna.t("recovery.heading"));
    await anna.context.clearCookies();
    await goToStep();
    await stepPage(anna).enter(pasted(await app.code(1)));
    await arrives();
  });

  it("a user with only a security key reads why it cannot be used, and the alternatives", async () => {
    await giveKey(installation.server, user);
    const [code = ""] = await giveRecoveryCodes(installation.server, user);
    await goToStep();
    await anna.page.getByText(anna.t("common.noScriptHint")).waitFor();
    expect(await stepPage(anna).key.start.isVisible()).toBe(false);
    await anna.page.getByText(anna.t("mfaLogin.lostHint")).waitFor();
    await stepPage(anna).lost.click();
    await stepPage(anna).enter(code);
    await arrives();
  });

  it("a user with both is led from the key to the app", async () => {
    const app = await giveTotp(installation.server, user);
    await giveKey(installation.server, user);
    await goToStep();
    await stepPage(anna).choose.key.click();
    await anna.page.getByText(anna.t("common.noScriptHint")).waitFor();
    await stepPage(anna).choose.totp.click();
    await stepPage(anna).enter(await app.code());
    await arrives();
  });

  it("a user who wants to set up a key reads why it is not possible, and sets up an app", async () => {
    await goToStep();
    await stepPage(anna).setUp.key.click();
    await anna.page.getByText(anna.t("common.noScriptHint")).waitFor();
    expect(await anna.page.getByText(anna.t("manageFido2.explain")).isVisible()).toBe(false);
    await stepPage(anna).setUp.totp.click();
    await seesHeading(anna, anna.t("manageTotp.heading"));
  });
});

describe("with JavaScript", () => {
  let app: TestApp;

  beforeEach(async () => {
    await createUser({ expected: [/^Failed to load resource: net::ERR_FAILED/] });
    app = await giveTotp(installation.server, user);
    await goToStep();
  });

  /** Collects the tokens in the responses to codes, and when they arrive. */
  const watchResponses = async () => {
    const responses: { token: string; at: number }[] = [];
    await anna.page.route("**/mfa/verify-totp", async (route) => {
      const response = await route.fetch();
      const { token } = await response.json();
      responses.push({ token, at: Date.now() });
      await route.fulfill({ response });
    });
    return responses;
  };

  it("a wrong code loads no page; for the right one the form posts the new token", async () => {
    const pages = countPages();
    await stepPage(anna).enter(await wrongCode(app));
    await alertOf(anna.page).getByText("This code is not valid.").waitFor();
    expect(await anna.page.title()).toBe("Error: Confirm your sign-in | Gatehouse");
    expect(pages).toEqual([]);
    const responses = await watchResponses();
    const [form] = await Promise.all([
      anna.page.waitForRequest((request) => request.isNavigationRequest() && request.method() === "POST"),
      stepPage(anna).enter(await app.code()),
    ]);
    const waitedMs = Date.now() - (responses[0]?.at ?? 0);
    await arrives();
    expect(pages[0]).toBe("POST /mfa/verify");
    const sent = Object.fromEntries(new URLSearchParams(form.postData() ?? ""));
    expect(responses).toHaveLength(1);
    expect(sent).toMatchObject({ mfa_token: responses[0]?.token, method: "totp" });
    expect(sent).not.toHaveProperty("code");
    expect(waitedMs).toBeGreaterThanOrEqual(100);
  });

  it("a complete code is not sent before the user submits it", async () => {
    const requestCount = anna.requests.length;
    await stepPage(anna).code.pressSequentially(await app.code(), { delay: 20 });
    await anna.page.waitForTimeout(300);
    expect(anna.requests.slice(requestCount).filter((url) => url.includes("/mfa/"))).toEqual([]);
    await stepPage(anna).code.press("Enter");
    await arrives();
  });

  it("works when its script does not load", async () => {
    await anna.context.route("**/assets/*.js", (route) => route.abort());
    await anna.page.reload();
    await stepPage(anna).enter(await app.code());
    await arrives();
  });
});
