import type { Page } from "playwright";

/** Makes the anti-forgery tokens of a page useless, as time would. */
export async function forgeToken(page: Page): Promise<void> {
  await setHidden(page, "_xsrf", "stale");
}

/** Sets a hidden field of every form on a page. */
export async function setHidden(page: Page, name: string, value: string): Promise<void> {
  await page.locator(`input[name="${name}"]`).evaluateAll((inputs, text) => {
    for (const input of inputs) input.setAttribute("value", text);
  }, value);
}
