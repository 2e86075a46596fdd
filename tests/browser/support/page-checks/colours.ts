import type { Page } from "playwright";
import { showAsBefore, showWith } from "./settled.ts";

/** Returns fields whose border contrasts less than 3:1 with the background, in light and dark (WCAG 2.2, 1.4.11). */
export async function findFaintFrames(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await showWith(page, { colorScheme });
    const faint = await page.locator("input:not([type=hidden]), .button.quiet").evaluateAll((controls) => {
      const luminance = (colour: string) => {
        const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const sheet = document.querySelector(".sheet");
      const ground = luminance(sheet ? getComputedStyle(sheet).backgroundColor : "rgb(255, 255, 255)");
      return controls.flatMap((control) => {
        const frame = luminance(getComputedStyle(control).borderTopColor);
        const contrast = (Math.max(frame, ground) + 0.05) / (Math.min(frame, ground) + 0.05);
        return contrast < 3 ? [`${contrast.toFixed(2)} to 1: ${control.outerHTML.slice(0, 80)}`] : [];
      });
    });
    faults.push(...faint.map((control) => `${colorScheme}: ${control}`));
  }
  await showAsBefore(page);
  return faults;
}

/** Returns buttons and fields that have neither a border nor an underline in forced colours. */
export async function findShapeless(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: "active" });
  const shapeless = await page.locator("button, .button, input:not([type=hidden])").evaluateAll((controls) =>
    controls
      .filter((control) => control.checkVisibility())
      .filter((control) => {
        const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(control);
        const isFramed = borderTopStyle !== "none" && Number.parseFloat(borderTopWidth) >= 1;
        return !isFramed && textDecorationLine !== "underline";
      })
      .map((control) => control.outerHTML.slice(0, 80)),
  );
  await page.emulateMedia({ forcedColors: null });
  return shapeless;
}

/** Returns elements that still move with reduced motion. */
export async function findMotion(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const moving = await page.locator("body *").evaluateAll((elements) =>
    elements
      .filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return animationName !== "none" || transitionDuration.split(", ").some((time) => time !== "0s");
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  );
  await page.emulateMedia({ reducedMotion: null });
  return moving;
}

/** Returns faults of the printed page: it must be dark on white, also in dark mode, without skip link and footer. */
export async function findPrintFaults(page: Page): Promise<string[]> {
  await showWith(page, { media: "print", colorScheme: "dark" });
  const faults = await page.evaluate(() => {
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
  await showAsBefore(page);
  return faults;
}
