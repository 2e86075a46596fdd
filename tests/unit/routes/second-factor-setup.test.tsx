import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { LANGUAGES } from "#app/i18n/language.ts";
import { recoveryCodesTitle } from "#app/routes/second-factor/recovery-codes.tsx";
import { keySetUpTitle, totpSetUpTitle } from "#app/routes/second-factor/setup.server.ts";
import { fieldNames, render } from "./render.tsx";
import {
  factorState,
  keyNaming,
  keySetUp,
  OTPAUTH,
  RECOVERY_CODES,
  recoveryCodes,
  SECRET,
  totpSetUp,
} from "./samples-second-factor.tsx";

const { t } = getInstance("en", "Gatehouse");

describe("the set-up of an authenticator app", () => {
  const page = render(totpSetUp());

  test("shows the secret as a QR code with an alternative text, as text in groups of four, and as a link", () => {
    const { attributes } = page.one("img");
    expect(attributes.src).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(attributes.alt).toMatch(/^QR code/);
    expect(page.one("p", { id: "secret-key" }).text).toBe("JBSW Y3DP EHPK 3PXP KRUG KIDR OVUW G2ZA");
    // Above the QR code for phones, below it for all others; CSS shows one of them.
    expect(page.all("a", { href: OTPAUTH }).map(({ text }) => text)).toEqual(
      Array.from({ length: 2 }, () => "Open in authenticator app"),
    );
  });

  test("copies the secret without spaces", () => {
    expect(page.one("copy-text").attributes).toMatchObject({ text: SECRET, "shown-in": "secret-key" });
  });

  test("posts a code to /mfa/setup, and is cancelled by a link", () => {
    expect(fieldNames(page, "/mfa/setup")).toEqual(["_xsrf", "login_challenge", "mfa_token", "code"]);
    expect(page.form("/mfa/setup").buttons).toHaveLength(1);
    expect(page.one("a", { href: "/mfa/verify?login_challenge=the-challenge" }).text).toBe("Cancel setup");
  });

  test("shows the same secret again after a wrong code", () => {
    const refused = render(totpSetUp({ error: "invalid verification code" }));
    expect(refused.one("p", { id: "secret-key" }).text.replaceAll(" ", "")).toBe(SECRET);
    expect(refused.one("a", { href: "#code" }).text).toContain("This code is not valid.");
    expect(refused.one("input", { id: "code" }).attributes).toHaveProperty("autofocus");
  });
});

describe("the set-up of a security key", () => {
  const page = render(keySetUp());

  test("announces the attestation prompt of the browser and the time limit", () => {
    expect(page.text).toContain("It may also ask whether we may see its make and model");
    expect(page.text).toContain("You have 60 seconds.");
    expect(page.text).toContain("Passkeys and security keys work only with JavaScript");
  });

  test("asks for no name; the page after it does, with the default name", () => {
    expect(fieldNames(page, "/mfa/setup")).toEqual(["_xsrf", "login_challenge", "mfa_token"]);
    const naming = render(keyNaming());
    expect(naming.one("label", { for: "key-name" }).text).toBe("Name of the key");
    expect(naming.one("input", { id: "key-name" }).attributes.value).toBe("Security key");
    expect(fieldNames(naming, "/mfa/setup")).toEqual(["_xsrf", "login_challenge", "mfa_token", "method", "name"]);
  });

  test("has different labels on all buttons and button links", () => {
    for (const language of LANGUAGES) {
      const { all } = render(keySetUp(), language);
      const labels = [...all("button"), ...all("a", { class: "button quiet" })].map(({ text }) => text);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  test("gives the script the name of the product, which the browser shows", () => {
    expect(page.one("security-key").attributes).toMatchObject({ purpose: "set-up", "product-name": "Gatehouse" });
  });
});

describe("recovery codes", () => {
  test("are offered, created by a POST, and can be postponed", () => {
    const offer = render(recoveryCodes(null));
    const fields = ["_xsrf", "login_challenge", "mfa_token"];
    expect(fieldNames(offer, "/mfa/recovery-codes")).toEqual(fields);
    expect(fieldNames(offer, "/mfa/verify")).toEqual(fields);
    expect(offer.form("/mfa/verify").buttons[0]?.label).toBe("Later");
    expect(offer.html).not.toContain(RECOVERY_CODES[0]);
  });

  test("are shown unbroken, with a button to continue", () => {
    const page = render(recoveryCodes(RECOVERY_CODES));
    expect(page.all("li").map(({ text }) => text)).toEqual(expect.arrayContaining(RECOVERY_CODES));
    expect(page.form("/mfa/verify").buttons[0]?.label).toBe("I have stored the codes");
    expect(page.text).toContain("The codes are shown only now.");
  });

  test.each([
    [
      "en",
      ["Name: Anna Berger (a.berger)", "Sign-in at: Gatehouse", "Created: 21 November 2026"],
      "Recovery codes",
      "recovery-codes.txt",
    ],
    [
      "de",
      ["Name: Anna Berger (a.berger)", "Anmeldung bei: Gatehouse", "Erstellt am: 21. November 2026"],
      "Wiederherstellungscodes",
      "wiederherstellungscodes.txt",
    ],
  ] as const)("are printed and saved with user, product and date (%s)", (language, lines, heading, fileName) => {
    const page = render(recoveryCodes(RECOVERY_CODES), language);
    expect(page.one("p", { class: "only-print" }).text).toBe(lines.join(" "));
    expect(page.one("save-text").attributes).toMatchObject({
      text: `${[heading, ...lines, "", ...RECOVERY_CODES].join("\n")}\n`,
      "file-name": fileName,
    });
    expect(page.one("copy-text").attributes["text"]).toBe(RECOVERY_CODES.join("\n"));
  });
});

test("titles contain page and product, errors first", () => {
  expect(totpSetUpTitle(t, factorState())).toBe("Set up authenticator app | Gatehouse");
  expect(keySetUpTitle(t, factorState({ error: "xsrf" }))).toBe("Error: Add security key | Gatehouse");
  expect(recoveryCodesTitle(t, factorState())).toBe("Recovery codes | Gatehouse");
});
