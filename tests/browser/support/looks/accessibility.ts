import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const LOOKS = [
  { name: "light", media: { colorScheme: "light" } },
  { name: "dark", media: { colorScheme: "dark" } },
  { name: "forced colours", media: { colorScheme: null, forcedColors: "active" } },
] as const;

/** What axe finds, by light, in the dark, and with colours of the person's own. It is a floor: see the other looks. */
export async function findViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { name, media } of LOOKS) {
    await page.emulateMedia(media);
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).setLegacyMode().analyze();
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html} ${failureSummary}`),
      ),
    );
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  return found;
}
