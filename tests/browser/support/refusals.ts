import { expect } from "vitest";
import type { BrowserUser } from "./installation.ts";
import { alertOf, hasFocus } from "./pages.ts";

/** Expected refusal: error code, summary texts, and the id of the invalid field (null for none). */
export type Refusal = { code: string; quote: string; text: string; field: string | null };

/** The fields for the user's own password: after a wrong one, they take the focus. */
const OWN_PASSWORD = ["current-password", "password"];

/**
 * Expects the error in the title, in a summary at the top, and at the field: `quote`, and then the next step. The
 * summary has the focus, or the field for the user's own password.
 */
export async function seesRefusal({ page, t }: Pick<BrowserUser, "page" | "t">, refusal: Refusal, title: string) {
  const { code, quote, text, field } = refusal;
  const summary = alertOf(page);
  await summary.waitFor();
  expect(await page.title()).toBe(`${t("common.errorTitlePrefix")} ${title} | Gatehouse`);
  expect(await summary.getAttribute("data-code")).toBe(code);
  expect(await summary.getByRole("heading").textContent()).toBe(t("common.errorSummaryTitle"));
  expect(await summary.locator("p").allTextContents()).toEqual(field === null ? [quote] : []);
  expect(await summary.getByRole("listitem").allTextContents()).toEqual([field === null ? text : quote]);
  const fields = page.locator("[aria-invalid=true]");
  // Focused on load by autofocus, also without JavaScript.
  await hasFocus(OWN_PASSWORD.includes(field ?? "") ? fields : summary);
  expect(await summary.evaluate(isBeforeHeading)).toBe(true);
  expect(await fields.evaluateAll((all) => all.map(({ id }) => id))).toEqual(field === null ? [] : [field]);
  if (field === null) return;
  const message = page.locator(`#${field}-error`);
  expect(await message.textContent()).toBe(`${t("common.errorTitlePrefix")} ${text}`);
  expect((await fields.getAttribute("aria-describedby"))?.split(" ")).toContain(`${field}-error`);
  await summary.getByRole("link", { name: quote }).click();
  await hasFocus(fields);
}

function isBeforeHeading(summary: Element): boolean {
  const heading = document.querySelector("h1");
  return heading !== null && (summary.compareDocumentPosition(heading) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Makes a form invalid by duplicating a field. */
export async function doubleField({ page }: Pick<BrowserUser, "page">, id: string): Promise<void> {
  await page.locator(`#${id}`).evaluate((field) => field.after(field.cloneNode()));
}

/** Returns the path of a page; the settings post to it with the suffix `.data`. */
function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\.data$/, "");
}

/** Counts the browser's posts to a path. */
export function countPosts({ page }: Pick<BrowserUser, "page">, path: string): () => number {
  let posts = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && pathOf(request.url()) === path) posts += 1;
  });
  return () => posts;
}
