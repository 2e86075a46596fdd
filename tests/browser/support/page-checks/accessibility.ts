import { readFileSync } from "node:fs";
import { join } from "node:path";
import type axe from "axe-core";
import type { JSHandle, Page } from "playwright";
import { ROOT } from "#tests/support/source-tree.ts";

type Axe = JSHandle<typeof axe>;

/** The minified file, because the browser compiles it for each page; `axe.source` is twice as long. */
const SOURCE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA, and what axe recommends beyond it: landmarks, heading order, skip link. */
const ALL_RULES = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
} as const;

/** Rules that take as long as all others together; `listFaintTexts` covers them in each look. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** axe's rules: all, or those that do not depend on colours. */
export type AxeRules = "all" | "without colours";

/** Returns axe's violations of the present page. The other checks cover what axe does not detect. */
export async function findViolations(page: Page, rules: AxeRules): Promise<string[]> {
  // Not by Playwright, which parses and copies the source for each page.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: `${SOURCE}; 0` });
  await session.detach();
  const axeOfPage: Axe = await page.evaluateHandle<typeof axe>("axe");
  const disabled = rules === "all" ? [] : COLOUR_RULES;
  const found = await axeOfPage.evaluate(
    async (itself, { runOnly, skipped }) => {
      const { violations } = await itself.run({
        runOnly: { type: runOnly.type, values: [...runOnly.values] },
        rules: Object.fromEntries(skipped.map((id) => [id, { enabled: false }])),
        resultTypes: ["violations"],
        preload: false,
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    },
    { runOnly: ALL_RULES, skipped: disabled },
  );
  await axeOfPage.dispose();
  return found;
}
