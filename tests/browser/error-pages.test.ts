import type { Page } from "playwright";
import { describe, expect, it } from "vitest";
import { installationOfFile } from "#tests/browser/support/installation.ts";
import { seesHeading } from "./support/pages.ts";
import { VARIANTS } from "./support/variants.ts";

const MARKUP = `<b>bold</b><script>document.title="owned"</script><img src=x onerror="document.title='owned'">`;

/** Returns the distance of the copy button to the sentence above it, in pixels. */
async function gapAboveCopyButton(page: Page): Promise<number> {
  const button = await page.locator(".facts .button").boundingBox();
  const sentence = await page.locator(".facts > p").last().boundingBox();
  return (button?.y ?? 0) - (sentence ? sentence.y + sentence.height : 0);
}

const installation = await installationOfFile();

describe.each(VARIANTS)("error pages ($language, JavaScript: $javaScript)", (variant) => {
  it("of an unknown URL respond 404 with one next step and a reference that is in the log", async () => {
    const anna = await installation.open(variant);
    await anna.page.goto(`${installation.server.url}/there/is/nothing?lng=${variant.language}`);
    expect(anna.status()).toBe(404);
    await seesHeading(anna, anna.t("serverError.404.title"));
    const onward = anna.page.getByRole("main").getByRole("link");
    expect(await onward.getAttribute("href")).toBe(installation.server.context.config.appUrl);
    const reference = await anna.page.locator(".facts code").textContent();
    expect(reference).toMatch(/^[0-9a-z]{4}-[0-9a-z]{4}$/);
    expect(installation.server.lines()).toContainEqual(expect.objectContaining({ requestId: reference, status: 404 }));
    if (variant.javaScript) expect(await gapAboveCopyButton(anna.page)).toBeGreaterThanOrEqual(12);
    await anna.close();
  });

  it("of a refused application quote what it did, and never run or render it", async () => {
    const anna = await installation.open(variant);
    const query = new URLSearchParams({ error: MARKUP, error_description: `${MARKUP} {{product}} $t(login.title)` });
    await anna.page.goto(`${installation.server.url}/error?${query}`);
    expect(anna.status()).toBe(400);
    expect(await anna.page.title()).toBe(`${anna.t("oauthError.title")} | Gatehouse`);
    const quotes = await anna.page.locator("main blockquote q").allTextContents();
    const written = MARKUP.replaceAll('"', "");
    expect(quotes).toEqual([written.slice(0, 60), `${written} {{product}} $t(login.title)`.slice(0, 120)]);
    await anna.page.getByRole("heading", { name: anna.t("common.unverifiedDetails") }).waitFor();
    expect(await anna.page.locator("main :is(b, script, img)").count()).toBe(0);
    await anna.close();
  });

  it("of a request that names an unknown client are ours, not the engine's", async () => {
    const anna = await installation.open(variant);
    await anna.page.goto(
      `${installation.server.url}/oauth2/auth?client_id=${encodeURIComponent(MARKUP)}&response_type=code`,
    );
    await seesHeading(anna, anna.t("oauthError.heading"));
    expect(anna.status()).toBe(400);
    expect(await anna.page.locator("main q").first().textContent()).toBe("invalid_client");
    expect(await anna.page.locator("main blockquote").count()).toBe(0);
    await anna.close();
  });
});

describe("user input and application names", () => {
  // Proves requirement 119.
  it.each([true, false])("are rendered as text (JavaScript: %s)", async (javaScript) => {
    const anna = await installation.open({ javaScript });
    const clientApp = await installation.openClientApp({ name: "<b>Desk</b> & “Söhne” {{product}}" });
    await anna.page.goto(`${clientApp.url}/sign-in`);
    expect(await anna.page.locator("header .place b").textContent()).toBe("<b>Desk</b> & “Söhne” {{product}}");
    await anna.page.locator("#username").fill(MARKUP);
    await anna.page.locator("#current-password").fill("x");
    await anna.page.locator("#current-password").press("Enter");
    await anna.page.getByRole("alert").waitFor();
    expect(await anna.page.locator("#username").inputValue()).toBe(MARKUP);
    expect(await anna.page.title()).toBe("Error: Sign in | Gatehouse");
    await anna.close();
  });
});
