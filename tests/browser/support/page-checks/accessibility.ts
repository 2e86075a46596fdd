import axe from "axe-core";
import type { Page } from "playwright";
import { showAsBefore, showWith } from "./settled.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Rules about colours, the only ones that depend on the colour scheme. */
const COLOURS = ["color-contrast", "link-in-text-block"];

const LOOKS = [
  { name: "light", media: { colorScheme: "light" }, runOnly: { type: "tag", values: RULES } },
  { name: "dark", media: { colorScheme: "dark" }, runOnly: { type: "rule", values: COLOURS } },
  {
    name: "forced colours",
    media: { colorScheme: null, forcedColors: "active" },
    runOnly: { type: "rule", values: COLOURS },
  },
] as const;

/** Returns axe's violations in light, dark and forced colours. The other checks cover what axe does not detect. */
export async function findViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  // Half a megabyte of script, loaded once for all runs.
  const axeOfPage = await page.evaluateHandle<typeof axe>(`${axe.source}; axe`);
  for (const { name, media, runOnly } of LOOKS) {
    await showWith(page, media);
    const lines = await axeOfPage.evaluate(async (itself, { type, values }) => {
      const { violations } = await itself.run({ runOnly: { type, values: [...values] }, resultTypes: ["violations"] });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
    }, runOnly);
    found.push(...lines.map((line) => `${name}: ${line}`));
  }
  await axeOfPage.dispose();
  await showAsBefore(page);
  return found;
}
