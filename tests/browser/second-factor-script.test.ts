import type { Page } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ComponentPage, openComponentPage } from "#tests/browser/support/component-page.tsx";
import { alertOf, hasFocus } from "#tests/browser/support/pages.ts";
import { textOf, textsIn } from "#tests/browser/support/texts.ts";
import type { BrowserSession } from "#tests/support/chromium.ts";
import {
  keySetUp,
  OTPAUTH,
  RECOVERY_CODES,
  recoveryCodes,
  SECRET,
  secondFactor,
  totpSetUp,
} from "#tests/unit/routes/samples-second-factor.tsx";

const PLACE = { path: "/mfa/verify", title: "Confirm your sign-in | Gatehouse" };

let componentPage: ComponentPage;
let anna: BrowserSession;

beforeAll(async () => {
  componentPage = await openComponentPage(PLACE);
});
afterAll(() => componentPage.close());
beforeEach(() => {
  componentPage.sent.length = 0;
  for (const path of Object.keys(componentPage.responses)) delete componentPage.responses[path];
});
afterEach(() => anna.close());

const formOf = ({ body }: { body: string }) => Object.fromEntries(new URLSearchParams(body));

const paths = () => componentPage.sent.map(({ path }) => path);

/** Plugs in a virtual security key. */
async function plugIn({ context, page }: BrowserSession, { isTouched = true } = {}) {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "u2f", transport: "usb", automaticPresenceSimulation: isTouched },
  });
  return { session, authenticatorId };
}

describe("a typed code", () => {
  const enter = async (code: string) => {
    await anna.page.getByLabel(textsIn("en")("field.code.label")).fill("");
    await anna.page.getByLabel(textsIn("en")("field.code.label")).pressSequentially(code);
    await anna.page.keyboard.press("Enter");
  };

  it("is checked first; then the form goes with the new token and without the code", async () => {
    componentPage.responses["/mfa/verify-totp"] = { body: { token: "the-new-token" } };
    anna = await componentPage.open(secondFactor("totp"));
    await enter(" 123-456 ");
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    const [call, form] = componentPage.sent;
    expect(paths()).toEqual(["/mfa/verify-totp", "/mfa/verify"]);
    expect(call?.headers).toMatchObject({ authorization: "Bearer the-mfa-token", "x-xsrf-token": "the-token" });
    expect(JSON.parse(call?.body ?? "")).toEqual({ code: "123456" });
    expect(formOf(form ?? { body: "" })).toEqual({
      _xsrf: "the-token",
      login_challenge: "the-challenge",
      mfa_token: "the-new-token",
      method: "totp",
    });
  });

  it.each([
    [{ reason: "wrong" }, "This code is not valid. Please enter the next code from your app."],
    [{ reason: "used" }, "This code has already been used. Please wait for the next one."],
    [{ reason: "wrong", clockOffSeconds: -90 }, /the clock of your device is 90 seconds slow/],
  ])("that is refused (%j) is reported without a new page; the field is empty and focused", async (details, text) => {
    componentPage.responses["/mfa/verify-totp"] = {
      status: 400,
      body: { error: "invalid verification code", ...details },
    };
    anna = await componentPage.open(secondFactor("totp"));
    const field = anna.page.getByLabel(textsIn("en")("field.code.label"));
    for (const times of [1, 2]) {
      await enter("123456");
      // The second response repeats the first one's texts.
      await expect.poll(() => paths().length).toBe(times);
      await expect.poll(() => field.inputValue()).toBe("");
      await expect.poll(() => textOf(alertOf(anna.page).getByRole("link"))).toMatch(text);
      expect(await textOf(anna.page.locator("#code-error"))).toMatch(text);
    }
    await hasFocus(field);
    expect(await field.getAttribute("aria-describedby")).toBe("code-hint code-error");
    expect(await anna.page.title()).toBe("Error: Confirm your sign-in | Gatehouse");
    expect(await anna.page.getByRole("button", { name: "Confirm" }).count()).toBe(1);
    expect(paths()).toEqual(["/mfa/verify-totp", "/mfa/verify-totp"]);
  });

  it.each(["pasted", "filled in"])("with six digits is sent when it is %s, also after a refused one", async (how) => {
    componentPage.responses["/mfa/verify-totp"] = { status: 400, body: { error: "invalid verification code" } };
    anna = await componentPage.open(secondFactor("totp"), ({ context }) =>
      context.grantPermissions(["clipboard-read", "clipboard-write"]),
    );
    const field = anna.page.getByLabel(textsIn("en")("field.code.label"));
    await anna.page.evaluate(() => navigator.clipboard.writeText("123 456"));
    for (const times of [1, 2]) {
      await field.focus();
      if (how === "pasted") await anna.page.keyboard.press("ControlOrMeta+V");
      else await field.fill("123456");
      await expect.poll(() => paths().length).toBe(times);
      await alertOf(anna.page).waitFor();
      await expect.poll(() => field.inputValue()).toBe("");
    }
    expect(componentPage.sent.map(({ body }) => JSON.parse(body))).toEqual([{ code: "123456" }, { code: "123456" }]);
  });

  it("that is empty sends no request", async () => {
    anna = await componentPage.open(secondFactor("totp"));
    await enter("12 34");
    expect(await textOf(alertOf(anna.page))).toContain("The code must be 6 digits");
    await enter("");
    expect(await textOf(alertOf(anna.page))).toContain("Enter the 6-digit code");
    expect(componentPage.sent).toEqual([]);
  });

  it("that is throttled shows the waiting time", async () => {
    componentPage.responses["/mfa/verify-totp"] = {
      status: 429,
      headers: { "Retry-After": "61" },
      body: { error: "throttled" },
    };
    anna = await componentPage.open(secondFactor("totp"));
    await enter("123456");
    await expect.poll(() => textOf(alertOf(anna.page))).toContain("Too many wrong codes. Please wait 2 minutes.");
    await hasFocus(alertOf(anna.page));
  });

  it("of an ended sign-in leads to a restart", async () => {
    componentPage.responses["/mfa/verify-totp"] = { status: 401, body: { error: "unauthorized" } };
    anna = await componentPage.open(secondFactor("totp"));
    await enter("123456");
    const link = alertOf(anna.page).getByRole("link", { name: "Start again" });
    expect(await link.getAttribute("href")).toBe("/mfa/verify?login_challenge=the-challenge");
    expect(await textOf(alertOf(anna.page))).toContain("This sign-in has expired.");
  });

  it("is posted with its form when the call fails or has an unknown response", async () => {
    for (const response of [undefined, { status: 403, body: { error: "xsrf" } }]) {
      if (response) componentPage.responses["/mfa/verify-totp"] = response;
      componentPage.sent.length = 0;
      anna = await componentPage.open(secondFactor("totp"));
      await enter("123 456");
      await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
      expect(formOf(componentPage.sent.at(-1) ?? { body: "" })).toMatchObject({
        mfa_token: "the-mfa-token",
        code: "123 456",
      });
      if (!response) await anna.close();
    }
  });

  it("is not required when the sign-in is cancelled", async () => {
    anna = await componentPage.open(secondFactor("totp"));
    await anna.page.getByRole("button", { name: "Cancel sign-in" }).click();
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(paths()).toEqual(["/mfa/verify"]);
    expect(formOf(componentPage.sent[0] ?? { body: "" })).toMatchObject({ cancel: "1" });
  });
});

const STARTED_REGISTRATION = {
  relyingPartyId: "localhost",
  userId: "YW5uYQ==",
  challenge: "Y2hhbGxlbmdl",
  existingCredentialIds: [],
  sessionId: "the-session",
  user: {
    ...{ username: "a.berger", displayName: "Anna Berger", base64EncodedUserId: "YW5uYQ==" },
    icon: "http://localhost/apple-touch-icon.png",
  },
};

describe("a security key", () => {
  it("is registered without a click, and sent as text", async () => {
    componentPage.responses["/mfa/init-fido2-registration"] = { body: STARTED_REGISTRATION };
    componentPage.responses["/mfa/setup-fido2"] = { body: { token: "the-new-token" } };
    anna = await componentPage.open(keySetUp(), plugIn);
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(paths()).toEqual(["/mfa/init-fido2-registration", "/mfa/setup-fido2", "/mfa/setup"]);
    const body = JSON.parse(componentPage.sent[1]?.body ?? "");
    expect(body.sessionId).toBe("the-session");
    expect(JSON.parse(body.credentialJson)).toMatchObject({ type: "public-key", response: {} });
    expect(formOf(componentPage.sent[2] ?? { body: "" })).toMatchObject({ mfa_token: "the-new-token" });
  });

  it("can be tried again after the connection failed", async () => {
    componentPage.responses["/mfa/setup-fido2"] = { body: { token: "the-new-token" } };
    anna = await componentPage.open(keySetUp(), plugIn);
    await expect.poll(() => textOf(alertOf(anna.page))).toContain("The connection failed.");
    componentPage.responses["/mfa/init-fido2-registration"] = { body: STARTED_REGISTRATION };
    await anna.page.getByRole("button", { name: "Try again" }).click();
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    const [call] = componentPage.sent.slice(-2);
    expect(JSON.parse(call?.body ?? "")).toMatchObject({ sessionId: "the-session" });
  });

  it("is requested automatically, and its response is sent", async () => {
    componentPage.responses["/mfa/init-fido2-registration"] = { body: STARTED_REGISTRATION };
    componentPage.responses["/mfa/setup-fido2"] = { body: { token: "t" } };
    componentPage.responses["/mfa/verify-fido2"] = { body: { token: "the-new-token" } };
    anna = await componentPage.open(keySetUp(), plugIn);
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    const { id } = JSON.parse(JSON.parse(componentPage.sent[1]?.body ?? "").credentialJson);
    componentPage.responses["/mfa/init-fido2"] = {
      body: { relyingPartyId: "localhost", challenge: "Y2hhbGxlbmdl", allowedCredentialIds: [id], sessionId: "s" },
    };
    componentPage.sent.length = 0;
    await componentPage.show(secondFactor("fido2"), anna);
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    expect(paths()).toEqual(["/mfa/init-fido2", "/mfa/verify-fido2", "/mfa/verify"]);
    expect(JSON.parse(componentPage.sent[1]?.body ?? "")).toMatchObject({ id, rawId: id, type: "public-key" });
    expect(formOf(componentPage.sent[2] ?? { body: "" })).toMatchObject({ mfa_token: "the-new-token" });
  });

  it("that is already registered is reported, and another one can be tried", async () => {
    componentPage.responses["/mfa/init-fido2-registration"] = { body: STARTED_REGISTRATION };
    componentPage.responses["/mfa/setup-fido2"] = { body: { token: "t" } };
    anna = await componentPage.open(keySetUp(), plugIn);
    await anna.page.getByRole("heading", { name: "Sent" }).waitFor();
    const { id } = JSON.parse(JSON.parse(componentPage.sent[1]?.body ?? "").credentialJson);
    componentPage.responses["/mfa/init-fido2-registration"] = {
      body: { ...STARTED_REGISTRATION, existingCredentialIds: [id] },
    };
    await componentPage.show(keySetUp(), anna);
    await expect.poll(() => textOf(alertOf(anna.page))).toContain("This security key is already registered.");
    await anna.page.getByRole("button", { name: "Try again" }).waitFor();
  });

  it("is waited for, without the hint for browsers without scripts", async () => {
    componentPage.responses["/mfa/init-fido2"] = {
      body: { relyingPartyId: "localhost", challenge: "Y2hhbGxlbmdl", allowedCredentialIds: [], sessionId: "s" },
    };
    anna = await componentPage.open(secondFactor("fido2"), (browserUser) => plugIn(browserUser, { isTouched: false }));
    await anna.page.getByText("Waiting for your security key …").waitFor();
    expect(await anna.page.getByText("Passkeys and security keys work only with JavaScript.").isVisible()).toBe(false);
    expect(await anna.page.getByRole("button", { name: "Use security key" }).count()).toBe(0);
  });

  it("that the browser refuses without a click is not an error: the page waits for a click", async () => {
    componentPage.responses["/mfa/init-fido2"] = {
      body: { relyingPartyId: "localhost", challenge: "Y2hhbGxlbmdl", allowedCredentialIds: [], sessionId: "s" },
    };
    anna = await componentPage.open(secondFactor("fido2"), ({ page }) => failWith(page, "NotAllowedError"));
    await anna.page.getByRole("button", { name: "Use security key" }).waitFor();
    await expect.poll(paths).toEqual(["/mfa/init-fido2"]);
    expect(await alertOf(anna.page).count()).toBe(0);
    await anna.page.getByRole("button", { name: "Use security key" }).click();
    await anna.page.getByText("The request was cancelled or timed out.").waitFor();
    expect(await alertOf(anna.page).count()).toBe(0);
  });

  it.each([
    ["NotSupportedError", "This browser cannot use security keys."],
    ["SecurityError", "Security keys do not work at this web address."],
    ["UnknownError", "The security key could not be used."],
  ])("that fails with %s has its own text", async (name, text) => {
    componentPage.responses["/mfa/init-fido2"] = {
      body: { relyingPartyId: "localhost", challenge: "Y2hhbGxlbmdl", allowedCredentialIds: [], sessionId: "s" },
    };
    anna = await componentPage.open(secondFactor("fido2"), ({ page }) => failWith(page, name));
    await expect.poll(() => textOf(alertOf(anna.page))).toContain(text);
    expect(await alertOf(anna.page).getAttribute("data-code")).toBe(name);
  });

  it.each([
    [{ status: 401, body: { error: "unauthorized" } }, "This sign-in has expired."],
    [{ status: 403, body: { error: "xsrf" } }, "This sign-in has expired."],
    [{ status: 429, headers: { "Retry-After": "30" }, body: { error: "throttled" } }, "Please wait 1 minute."],
    [{ status: 400, body: { error: "security key not found" } }, "does not belong to your account"],
    [undefined, "The connection failed."],
  ])("that cannot be requested (%j) shows the reason", async (response, text) => {
    if (response) componentPage.responses["/mfa/init-fido2"] = response;
    anna = await componentPage.open(secondFactor("fido2"));
    await expect.poll(() => textOf(alertOf(anna.page))).toContain(text);
  });

  it("is not offered in a browser without support; the app is", async () => {
    anna = await componentPage.open(secondFactor("fido2"), ({ page }) =>
      page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential")),
    );
    await expect.poll(() => textOf(alertOf(anna.page))).toContain("This browser cannot use security keys.");
    expect(await anna.page.getByRole("button", { name: "Use security key" }).count()).toBe(0);
    await anna.page.getByRole("link", { name: "Code from your authenticator app", exact: true }).waitFor();
    expect(componentPage.sent).toEqual([]);
  });
});

describe("what the user must keep", () => {
  it("is copied without spaces", async () => {
    anna = await componentPage.open(totpSetUp(), ({ context }) =>
      context.grantPermissions(["clipboard-read", "clipboard-write"]),
    );
    await anna.page.getByRole("button", { name: "Copy key" }).click();
    await anna.page.getByRole("button", { name: "Key copied" }).waitFor();
    expect(await anna.page.evaluate(() => navigator.clipboard.readText())).toBe(SECRET);
    expect(await anna.page.getByRole("link", { name: "Open in authenticator app" }).getAttribute("href")).toBe(OTPAUTH);
  });

  it("is selected where the browser does not copy", async () => {
    anna = await componentPage.open(totpSetUp(), ({ page }) =>
      page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined })),
    );
    await anna.page.getByRole("button", { name: "Copy key" }).click();
    await anna.page.getByText("Copying did not work.").waitFor();
    expect(await anna.page.evaluate(() => getSelection()?.toString().replace(/\s/g, ""))).toBe(SECRET);
  });

  it("is saved as a file, and fits on one sheet of paper", async () => {
    anna = await componentPage.open(recoveryCodes(RECOVERY_CODES));
    const [download] = await Promise.all([
      anna.page.waitForEvent("download"),
      anna.page.getByRole("button", { name: "Save as text file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("recovery-codes.txt");
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    const sheet = [
      "Recovery codes",
      "Name: Anna Berger (a.berger)",
      "Sign-in at: Gatehouse",
      "Created: 21 November 2026",
    ];
    expect(Buffer.concat(chunks).toString()).toBe(`${[...sheet, "", ...RECOVERY_CODES].join("\n")}\n`);
    const pdf = (await anna.page.pdf({ format: "A4" })).toString("latin1");
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await anna.page.emulateMedia({ media: "print" });
    const printed = await anna.page.evaluate(() => document.body.innerText.split(/\s*\n\s*/).filter(Boolean));
    expect(printed).toEqual([...sheet, ...RECOVERY_CODES]);
  });
});

/** Makes the browser's request for a key fail with this error at once. */
function failWith(page: Page, name: string): Promise<unknown> {
  return page.addInitScript((errorName) => {
    navigator.credentials.get = () => Promise.reject(new DOMException("refused", errorName));
  }, name);
}
