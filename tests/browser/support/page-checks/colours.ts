import type { Page } from "playwright";
import { type AxeRules, findViolations } from "./accessibility.ts";
import { showAsBefore, showWith } from "./settled.ts";

/** Faults of a page by check; each line begins with the look that has the fault. */
type LookFaults = {
  /** Violations of axe's rules, in light colours. */
  violations: string[];
  /** Texts whose contrast is below 4.5:1, or 3:1 if large, and links in sentences that only their colour shows. */
  faintTexts: string[];
  /** Fields whose border contrasts less than 3:1 with the background (WCAG 2.2, 1.4.11). */
  faintFrames: string[];
  /** Buttons and fields that have neither a border nor an underline in forced colours. */
  shapeless: string[];
  /** Elements that still move with reduced motion. */
  motion: string[];
  /** Faults of the printed page: it must be dark on white, also in dark mode, without skip link and footer. */
  print: string[];
};

/** Checks a page in light, dark and forced colours, and printed: each look is shown once, for all its checks. */
export async function findLookFaults(page: Page, axeRules: AxeRules): Promise<LookFaults> {
  await showWith(page, { colorScheme: "light" });
  const violations = await findViolations(page, axeRules);
  const light = [await listFaintTexts(page), await listFaintFrames(page)] as const;
  const motion = await listMoving(page);
  await showWith(page, { colorScheme: "dark" });
  const dark = [await listFaintTexts(page), await listFaintFrames(page)] as const;
  await showWith(page, { forcedColors: "active" });
  const forced = [await listFaintTexts(page), await listShapeless(page)] as const;
  await showWith(page, { media: "print", colorScheme: "dark" });
  const print = await listPrintFaults(page);
  await showAsBefore(page);
  return {
    violations,
    faintTexts: [...named("light", light[0]), ...named("dark", dark[0]), ...named("forced colours", forced[0])],
    faintFrames: [...named("light", light[1]), ...named("dark", dark[1])],
    shapeless: forced[1],
    motion,
    print,
  };
}

function named(look: string, faults: readonly string[]): string[] {
  return faults.map((fault) => `${look}: ${fault}`);
}

/** WCAG 2.2, 1.4.3 and 1.4.1. Inactive controls and texts on images are exempt, as in axe's rules. */
function listFaintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Colour = [red: number, green: number, blue: number, alpha: number];
    const read = (text: string): Colour => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
      // color-mix() results in color(srgb 0..1).
      const scale = text.startsWith("color(") ? 255 : 1;
      return [red * scale, green * scale, blue * scale, alpha];
    };
    const over = ([red, green, blue, alpha]: Colour, ground: Colour): Colour => [
      red * alpha + ground[0] * (1 - alpha),
      green * alpha + ground[1] * (1 - alpha),
      blue * alpha + ground[2] * (1 - alpha),
      1,
    ];
    const luminance = ([red, green, blue]: Colour) => {
      const linear = [red, green, blue].map((part) =>
        part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
    };
    const groundOf = (element: Element | null): Colour => {
      if (!element) return [255, 255, 255, 1];
      const colour = read(getComputedStyle(element).backgroundColor);
      return colour[3] === 1 ? colour : over(colour, groundOf(element.parentElement));
    };
    const opacityOf = (element: Element | null): number =>
      element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1;
    const isExempt = (element: Element) =>
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
      element.closest("script, style, template, noscript, .visually-hidden, :disabled, [aria-disabled=true]") !== null;

    const elements = new Set<Element>(document.querySelectorAll("input:not([type=hidden])"));
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement && (text.textContent ?? "").trim() !== "") elements.add(text.parentElement);
    }
    return [...elements].flatMap((element) => {
      if (isExempt(element)) return [];
      const style = getComputedStyle(element);
      const ground = groundOf(element);
      const [red, green, blue, alpha] = read(style.color);
      const ink = over([red, green, blue, alpha * opacityOf(element)], ground);
      const [lower = 0, higher = 0] = [luminance(ink), luminance(ground)].sort((one, other) => one - other);
      const contrast = (higher + 0.05) / (lower + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const faint =
        contrast < (isLarge ? 3 : 4.5) ? [`${contrast.toFixed(2)} to 1: ${element.outerHTML.slice(0, 80)}`] : [];
      const isInSentence =
        element.matches("p a[href]") &&
        (element.closest("p")?.textContent ?? "").trim() !== (element.textContent ?? "").trim();
      const isHidden = isInSentence && !style.textDecorationLine.includes("underline");
      return [...faint, ...(isHidden ? [`only its colour shows a link: ${element.outerHTML.slice(0, 80)}`] : [])];
    });
  });
}

function listFaintFrames(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
        const share = Number(part) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const sheet = document.querySelector(".sheet");
    const ground = luminance(sheet ? getComputedStyle(sheet).backgroundColor : "rgb(255, 255, 255)");
    return [...document.querySelectorAll("input:not([type=hidden]), .button.quiet")].flatMap((control) => {
      const frame = luminance(getComputedStyle(control).borderTopColor);
      const contrast = (Math.max(frame, ground) + 0.05) / (Math.min(frame, ground) + 0.05);
      return contrast < 3 ? [`${contrast.toFixed(2)} to 1: ${control.outerHTML.slice(0, 80)}`] : [];
    });
  });
}

function listShapeless(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, .button, input:not([type=hidden])")]
      .filter((control) => control.checkVisibility())
      .filter((control) => {
        const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(control);
        const isFramed = borderTopStyle !== "none" && Number.parseFloat(borderTopWidth) >= 1;
        return !isFramed && textDecorationLine !== "underline";
      })
      .map((control) => control.outerHTML.slice(0, 80)),
  );
}

function listMoving(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((time) => time !== "0s");
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  );
}

function listPrintFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const brightness = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
      return (red + green + blue) / 3;
    };
    const { backgroundColor, color } = getComputedStyle(document.body);
    const left = [...document.querySelectorAll(".skip, footer")].filter((part) => part.checkVisibility());
    const heading = document.querySelector("h1");
    return [
      ...(brightness(backgroundColor) < 250 ? [`the paper is ${backgroundColor}`] : []),
      ...(brightness(color) > 90 ? [`the ink is ${color}`] : []),
      ...left.map((part) => `is printed: ${part.outerHTML.slice(0, 60)}`),
      ...(heading?.checkVisibility() ? [] : ["the heading is not printed"]),
    ];
  });
}
