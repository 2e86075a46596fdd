import { readFileSync } from "node:fs";
import { join } from "node:path";
import type axe from "axe-core";
import type { JSHandle, Page } from "playwright";
import { ROOT } from "#tests/support/source-tree.ts";

type Axe = JSHandle<typeof axe>;

/** The minified file, because the browser compiles it for each page; `axe.source` is twice as long. */
const SOURCE = readFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");

const ALL_RULES = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } as const;

/** Rules about colours, the only ones that depend on the colour scheme. */
const COLOUR_RULES = { type: "rule", values: ["color-contrast", "link-in-text-block"] } as const;

/** Loads axe into a page, once for all its runs. */
export function loadAxe(page: Page): Promise<Axe> {
  return page.evaluateHandle<typeof axe>(`${SOURCE}; axe`);
}

/** Returns axe's violations of the present page. The other checks cover what axe does not detect. */
export function findViolations(axeOfPage: Axe): Promise<string[]> {
  return run(axeOfPage, ALL_RULES);
}

/** Returns axe's violations of the rules that depend on the colour scheme. */
export function findColourViolations(axeOfPage: Axe): Promise<string[]> {
  return run(axeOfPage, COLOUR_RULES);
}

function run(axeOfPage: Axe, runOnly: typeof ALL_RULES | typeof COLOUR_RULES): Promise<string[]> {
  return axeOfPage.evaluate(async (itself, { type, values }) => {
    const options = { runOnly: { type, values: [...values] }, resultTypes: ["violations" as const], preload: false };
    const { violations } = await itself.run(options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, runOnly);
}
