import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";
import { showWith } from "./settled.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Of the rules, those that look at colours: nothing else is another one in the dark. */
const COLOURS = ["color-contrast", "link-in-text-block"];

const LOOKS = [
  { name: "light", media: { colorScheme: "light" }, rules: null },
  { name: "dark", media: { colorScheme: "dark" }, rules: COLOURS },
  { name: "forced colours", media: { colorScheme: null, forcedColors: "active" }, rules: COLOURS },
] as const;

/** What axe finds, by light, in the dark, and with colours of the person's own. It is a floor: see the other looks. */
export async function findViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { name, media, rules } of LOOKS) {
    await showWith(page, media);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await (rules ? axe.withRules(rules) : axe.withTags(RULES)).analyze();
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html} ${failureSummary}`),
      ),
    );
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  return found;
}
