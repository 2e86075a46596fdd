import { afterEach, describe, expect, it } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { LANGUAGES } from "#app/i18n/language.ts";
import type { BrowserUser } from "#tests/browser/support/installation.ts";
import { giveKey } from "#tests/support/factors.ts";
import { openVisit, pageSetupOfFile, type Visit } from "./support/page-setup.ts";
import { alertOf, hasFocus } from "./support/pages.ts";
import { goesTo, opensSettings, settingsPages } from "./support/settings-pages.ts";
import type { Texts } from "./support/texts.ts";

const FIDO2 = "/manage/mfa/register-fido2";
let visit: Visit;

const setup = await pageSetupOfFile();
afterEach(() => visit.anna.close());

/** Makes the browser's registration fail at once with the error in the query parameter `fail`. */
function failOnRequest({ page }: BrowserUser): Promise<unknown> {
  return page.addInitScript(() => {
    navigator.credentials.create = () =>
      Promise.reject(new DOMException("refused", new URLSearchParams(location.search).get("fail") ?? ""));
  });
}

const ERRORS: [name: string, text: (t: Texts) => string][] = [
  ["InvalidStateError", (t) => t("webauthn.error.invalidState")],
  ["SecurityError", (t) => t("webauthn.error.security")],
  ["NotSupportedError", (t) => t("webauthn.error.notSupported")],
  ["ConstraintError", (t) => t("webauthn.error.generic")],
];

describe.each(LANGUAGES)("a security key that the browser does not register (%s)", (language) => {
  it("has its own text for each reason, and can be retried; one that was cancelled is no error", async () => {
    visit = await openVisit(setup, { language });
    const { anna, user } = visit;
    await failOnRequest(anna);
    await opensSettings(visit);
    const { start, retry, abort, status } = settingsPages(anna).key;
    const texts: string[] = [];
    for (const [name, text] of ERRORS) {
      await goesTo(visit, `${FIDO2}?fail=${name}`);
      await expect.poll(() => alertOf(anna.page).getAttribute("data-code")).toBe(name);
      expect(await alertOf(anna.page).getByRole("listitem").allTextContents()).toEqual([text(anna.t)]);
      expect(await anna.page.title()).toBe(
        `${anna.t("common.errorTitlePrefix")} ${anna.t("manageFido2.title")} | Gatehouse`,
      );
      expect(await retry.isVisible()).toBe(true);
      expect(await abort.isVisible()).toBe(true);
      texts.push(text(anna.t));
    }
    expect(new Set(texts).size).toBe(ERRORS.length);

    // Without a click the browser requires one; after it, the page shows that it was cancelled or timed out.
    await goesTo(visit, `${FIDO2}?fail=NotAllowedError`);
    await start.waitFor();
    // The button is also there for a moment before the script tries by itself.
    await expect.poll(() => status.textContent()).toBe("");
    await start.click();
    await expect.poll(() => status.textContent()).toBe(anna.t("webauthn.error.notAllowed"));
    await hasFocus(retry);
    expect(await alertOf(anna.page).count()).toBe(0);
    expect(await listWebauthnCredentials(setup.installation.server.context.store, user.id)).toEqual([]);
  });
});

it("a browser without support shows a notice, and offers the app", async () => {
  visit = await openVisit(setup, {});
  const { anna } = visit;
  await anna.page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
  await opensSettings(visit, FIDO2);
  await expect.poll(() => alertOf(anna.page).textContent()).toContain(anna.t("webauthn.error.notSupported"));
  expect(await settingsPages(anna).key.start.count()).toBe(0);
  await settingsPages(anna).totp.setUpInstead.waitFor();
});

it("recovery codes print on one sheet: title, whose they are, and every code in one piece", async () => {
  visit = await openVisit(setup, {});
  const { anna, installation, user } = visit;
  await opensSettings(visit);
  await giveKey(installation.server, user);
  await goesTo(visit, "/manage/mfa/recovery-codes");
  const { make, saved, all } = settingsPages(anna).codes;
  await make.click();
  await saved.waitFor();
  const codes = await all.allTextContents();
  expect(codes).toHaveLength(10);
  const pdf = (await anna.page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await anna.page.emulateMedia({ media: "print" });
  const printed = await anna.page.evaluate(() => document.body.innerText.split(/\s*\n\s*/).filter(Boolean));
  expect(printed.slice(-10)).toEqual(codes);
  // The heading, and a line each for the user, the office and the date.
  const [, name, ...others] = printed.slice(0, -10);
  expect(name).toContain(user.username);
  expect(others).toHaveLength(2);
  const sizes = await all.evaluateAll((items) =>
    items.map((item) => Number.parseFloat(getComputedStyle(item).fontSize)),
  );
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(14);
});
