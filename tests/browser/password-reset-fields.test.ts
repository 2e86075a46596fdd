import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserUser, type Installation, installationOfFile } from "#tests/browser/support/installation.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import type { TestUser } from "#tests/support/server.ts";
import { readDetail, seesHeading, signInAt } from "./support/pages.ts";
import { linkFor, resetPages } from "./support/password-reset.ts";
import { textOf } from "./support/texts.ts";

let anna: BrowserUser;
let user: TestUser;

const installation = await installationOfFile();
const clientApp = await installation.openClientApp({ firstParty: true });

const openLink = async (options: Parameters<Installation["open"]>[0] = {}) => {
  anna = await installation.open(options);
  user = await installation.createUser();
  await anna.page.goto(await linkFor(installation.server, user));
  await resetPages(anna).save.waitFor();
};
afterEach(() => anna.close());

const seesSuccess = () => seesHeading(anna, anna.t("passwordReset.status.success.heading"));

describe("the form for a new password", () => {
  beforeEach(() => openLink({ permissions: ["clipboard-read", "clipboard-write"] }));

  it("takes the two spellings of an umlaut for one, and so does the sign-in", async () => {
    const { password, repeat, save } = resetPages(anna);
    await password.fill("Gru\u0308ne-Tu\u0308r-1874");
    await repeat.fill("Grüne-Tür-1874");
    await save.click();
    await seesSuccess();
    await signInAt(anna, `${clientApp.url}/sign-in`, { ...user, password: "Grüne-Tür-1874" });
    await anna.page.waitForURL(`${clientApp.url}/`);
    expect(await readDetail(anna.page, "claims")).toMatchObject({ sub: user.id });
  });

  // Proves requirement 9.
  it("accepts all pasted text, and reports text that is too long", async () => {
    const { password, repeat, save } = resetPages(anna);
    const long = `${NEW_PASSWORD}-${"ab3".repeat(59)}`;
    await anna.page.evaluate((text) => navigator.clipboard.writeText(text), long);
    for (const field of [password, repeat]) {
      await field.focus();
      await field.press("ControlOrMeta+v");
      expect(await field.inputValue()).toBe(long);
      expect(await field.getAttribute("maxlength")).toBeNull();
    }
    expect(await save.isEnabled()).toBe(true);
    await password.fill("Aa1".repeat(86));
    expect(await textOf(resetPages(anna).rules.first())).toBe("at most 256 characters (not met yet)");
    await password.fill(long);
    await save.click();
    await seesSuccess();
    await signInAt(anna, `${clientApp.url}/sign-in`, { ...user, password: long });
    await anna.page.waitForURL(`${clientApp.url}/`);
  });

  it("gives password managers the user name, the autocomplete type and the rules", async () => {
    const { password, repeat } = resetPages(anna);
    for (const field of [password, repeat]) {
      expect(await field.getAttribute("autocomplete")).toBe("new-password");
      expect(await field.getAttribute("passwordrules")).toBe(
        "minlength: 12; required: lower; required: upper; required: digit;",
      );
    }
    const name = anna.page.locator("form input[autocomplete=username]");
    expect(await name.inputValue()).toBe(user.username);
    expect([await name.getAttribute("type"), await name.getAttribute("readonly")]).toEqual(["text", ""]);
    const [form] = await Promise.all([
      anna.page.waitForRequest((request) => request.method() === "POST"),
      resetPages(anna).choose(NEW_PASSWORD),
    ]);
    const sent = [...new URLSearchParams(form.postData() ?? "").keys()];
    expect(sent).toEqual(["_xsrf", "reset_token", "password", "password_repeat"]);
    await seesSuccess();
  });

  it("keeps the tips away from who put them away, here and at the next link, until they are fetched back", async () => {
    const { tips } = resetPages(anna);
    expect(await tips.heading.isVisible()).toBe(true);
    await tips.hide.click();
    expect(await tips.heading.isVisible()).toBe(false);
    expect(await tips.show.getAttribute("aria-expanded")).toBe("false");
    expect(await anna.page.getByRole("alert").count()).toBe(0);
    await anna.page.reload();
    await tips.show.waitFor();
    expect(await tips.heading.isVisible()).toBe(false);
    await anna.page.goto(await linkFor(installation.server, user));
    await tips.show.click();
    expect(await tips.heading.isVisible()).toBe(true);
    await anna.page.reload();
    await tips.hide.waitFor();
    expect(await tips.heading.isVisible()).toBe(true);
  });
});
