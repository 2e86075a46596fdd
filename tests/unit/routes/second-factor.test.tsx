import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { verifyTitle } from "#app/routes/second-factor/verify-page.tsx";
import { fieldNames, render } from "./render.tsx";
import { factorState, secondFactor } from "./samples-second-factor.tsx";

const { t } = getInstance("en", "Gatehouse");

const WRONG = { error: "invalid verification code" } as const;

describe("the code form", () => {
  const page = render(secondFactor("totp"));

  test("posts challenge, token and code to /mfa/verify", () => {
    expect(page.form("/mfa/verify").fields).toEqual([
      ["_xsrf", "the-token"],
      ["login_challenge", "the-challenge"],
      ["mfa_token", "the-mfa-token"],
      ["method", "totp"],
      ["code", ""],
    ]);
  });

  test("has one field, for digits, without a maximum length or pattern", () => {
    const inputs = page.all("input").filter(({ attributes }) => attributes.type !== "hidden");
    expect(inputs).toHaveLength(1);
    expect(inputs[0]?.attributes).toMatchObject({
      id: "code",
      type: "text",
      inputmode: "numeric",
      autocomplete: "one-time-code",
      required: "",
      enterkeyhint: "done",
    });
    for (const name of ["maxlength", "pattern"]) expect(inputs[0]?.attributes).not.toHaveProperty(name);
    expect(page.one("label", { for: "code" }).text).toBe("6-digit code");
  });

  test("has one heading, and one sentence about the code", () => {
    expect(page.all("h1")).toHaveLength(1);
    expect(page.all("h2")).toEqual([]);
    expect(page.one("p", { id: "code-hint" }).text).toBe("Your authenticator app shows it.");
  });

  test("submits with Enter, and can be cancelled", () => {
    expect(page.form("/mfa/verify").buttons).toEqual([
      { name: null, value: "", label: "Confirm", disabled: false },
      { name: "cancel", value: "1", label: "Cancel sign-in", disabled: false },
    ]);
  });

  test("names the user and the application", () => {
    expect(page.one("main").text).toContain("Signing in as Anna Berger");
    expect(page.one("header").text).toContain("Broker Desk");
  });

  test("offers help for a lost factor", () => {
    expect(page.one("a", { href: "/mfa/verify?login_challenge=the-challenge&method=recovery" }).text).toBe(
      "Use a recovery code",
    );
    expect(page.one("a", { href: "mailto:help@office.example" }).text).toBe("help@office.example");
    expect(render(secondFactor("totp", {}, { recoveryCodesLeft: 0 })).text).not.toContain("recovery");
  });
});

test.each([
  ["missing", {}, "Enter the 6-digit code"],
  ["malformed", {}, "The code must be 6 digits"],
  ["wrong", {}, "This code is not valid. Please enter the next code from your app."],
  ["used", {}, "This code has already been used. Please wait for the next one."],
  ["wrong", { clockOffSeconds: 90 }, "the clock of your device is 90 seconds fast"],
  ["wrong", { clockOffSeconds: -120 }, "the clock of your device is 120 seconds slow"],
] as const)("a code that is %s (%j) has the same text in the summary and at the field", (refusal, details, text) => {
  const page = render(secondFactor("totp", WRONG, { refusal, ...details }));
  const link = page.one("a", { href: "#code" });
  expect(link.text).toContain(text);
  expect(page.one("p", { id: "code-error" }).text).toBe(`Error: ${link.text}`);
  expect(page.one("div", { role: "alert" }).attributes["data-code"]).toBe("invalid verification code");
});

test("a rejected code leaves its field empty, marked as invalid, and focused", () => {
  const page = render(secondFactor("totp", WRONG));
  const { attributes } = page.one("input", { id: "code" });
  expect(attributes).toMatchObject({ "aria-invalid": "true", "aria-describedby": "code-hint code-error" });
  expect(attributes).toHaveProperty("autofocus");
  expect(attributes).not.toHaveProperty("value");
  expect(page.one("div", { role: "alert" }).attributes).not.toHaveProperty("tabindex");
});

test("a throttled attempt shows the waiting time and focuses the summary", () => {
  const page = render(secondFactor("totp", { error: "throttled" }, { waitMinutes: 4 }));
  const summary = page.one("div", { "data-code": "throttled" });
  expect(summary.text).toContain("Please wait 4 minutes.");
  expect(summary.attributes).toHaveProperty("autofocus");
});

test("a recovery code has the same field, without a numeric keyboard", () => {
  const page = render(secondFactor("recovery"));
  const { attributes } = page.one("input", { id: "code" });
  expect(attributes.name).toBe("code");
  expect(attributes).not.toHaveProperty("inputmode");
  expect(attributes).not.toHaveProperty("pattern");
  expect(page.one("label", { for: "code" }).text).toBe("Recovery code");
  expect(page.text).toContain("7 codes left");
  expect(page.form("/mfa/verify").fields).toContainEqual(["method", "recovery"]);
  expect(page.all("a", { href: "/mfa/verify?login_challenge=the-challenge" })).toHaveLength(1);
});

test("with both factors the user selects one", () => {
  const links = render(secondFactor("choose"))
    .all("a", { class: "pick" })
    .map(({ attributes, text }) => [attributes.href, text]);
  expect(links).toEqual([
    ["/mfa/verify?login_challenge=the-challenge&method=totp", "Code from your authenticator app"],
    ["/mfa/verify?login_challenge=the-challenge&method=fido2", "Security key"],
  ]);
});

test("at an address without security keys, none is offered, with the reason", () => {
  const choice = render(secondFactor("choose", {}, { keysWork: false }));
  expect(choice.all("a", { class: "pick" }).map(({ text }) => text)).toEqual(["Code from your authenticator app"]);
  expect(choice.text).toContain("Security keys do not work at this web address.");
  const setUp = render(secondFactor("set-up", {}, { keysWork: false }));
  expect(setUp.form("/mfa/setup").buttons.map(({ value }) => value)).toEqual(["totp"]);
  expect(render(secondFactor("fido2", {}, { keysWork: false })).all("security-key")).toEqual([]);
  for (const method of ["choose", "fido2"] as const) {
    const page = render(secondFactor(method, {}, { keysWork: false, hasPasskeys: true }));
    expect(page.text).toContain("Passkeys and security keys do not work at this web address.");
  }
});

describe("the page of a security key", () => {
  const page = render(secondFactor("fido2"));

  test("hides the button that needs a script, and has one that cancels", () => {
    expect(page.one("button", { class: "key-start button" }).attributes).toHaveProperty("hidden");
    expect(page.all("button").map(({ text }) => text)).toEqual(["Use security key", "Cancel sign-in"]);
  });

  test("explains that it needs a script, and offers the authenticator app", () => {
    expect(page.text).toContain("Passkeys and security keys work only with JavaScript");
    expect(page.one("a", { class: "button" }).attributes.href).toBe(
      "/mfa/verify?login_challenge=the-challenge&method=totp",
    );
    const keyOnly = render(secondFactor("fido2", { totpRegistered: false }));
    expect(keyOnly.all("a", { class: "button" })).toEqual([]);
    expect(keyOnly.text).toContain("Use a recovery code");
  });

  test("shows instructions and the time limit", () => {
    expect(page.text).toContain("Plug in your security key and touch it when it blinks.");
    expect(page.text).toContain("You have 30 seconds.");
  });
});

test.each([
  ["security key not found", "This passkey or security key does not belong to your account."],
  ["security key refused", "The passkey or security key could not be checked. Please try again."],
] as const)("the summary of the error %s names passkeys for a user who has one", (error, text) => {
  expect(render(secondFactor("fido2", { error }, { hasPasskeys: true })).text).toContain(text);
  expect(render(secondFactor("fido2", { error })).one("div", { role: "alert" }).text).not.toMatch(/passkey/i);
});

test("without a factor the page offers to set one up, the app first", () => {
  const page = render(
    secondFactor("set-up", { totpRegistered: false, totp_registered: false, fido2Registered: false }),
  );
  expect(page.one("h1").text).toBe("Set up a second factor");
  expect(fieldNames(page, "/mfa/setup")).toEqual(["_xsrf", "login_challenge", "mfa_token"]);
  expect(page.form("/mfa/setup").buttons.map(({ name, value }) => [name, value])).toEqual([
    ["method", "totp"],
    ["method", "fido2"],
  ]);
  expect(page.form("/mfa/verify").buttons).toEqual([
    { name: "cancel", value: "1", label: "Cancel sign-in", disabled: false },
  ]);
});

test("a verified factor needs only a button to continue", () => {
  const page = render(secondFactor("continue"));
  expect(fieldNames(page, "/mfa/verify")).toEqual(["_xsrf", "login_challenge", "mfa_token"]);
  expect(page.form("/mfa/verify").buttons[0]?.label).toBe("Continue");
});

test("an expired sign-in shows no data of it, and can be started again", () => {
  const page = render(secondFactor("totp", { error: "unauthorized" }));
  expect(page.one("div", { "data-code": "unauthorized" }).text).toContain("This sign-in has expired.");
  expect(page.one("a", { href: "/login?login_challenge=the-challenge" }).text).toBe("Start again");
  expect(page.forms()).toEqual([]);
  expect(page.text).not.toContain("Anna Berger");
});

test("markup in names and contacts is escaped", () => {
  const name = `<img src=x onerror="alert(1)">`;
  const page = render(secondFactor("totp", {}, { name, supportContact: `javascript:alert(1) ${name}` }));
  expect(page.all("img")).toEqual([]);
  expect(page.all("a").filter(({ attributes }) => attributes.href?.startsWith("javascript"))).toEqual([]);
  expect(page.text).toContain(name);
});

test("titles contain page and product, errors first", () => {
  expect(verifyTitle(t, factorState(), "totp")).toBe("Confirm your sign-in | Gatehouse");
  expect(verifyTitle(t, factorState(WRONG), "totp")).toBe("Error: Confirm your sign-in | Gatehouse");
  expect(verifyTitle(t, factorState(), "set-up")).toBe("Set up a second factor | Gatehouse");
});
