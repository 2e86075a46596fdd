import type { Page } from "playwright";
import { findColourViolations, findViolations, loadAxe } from "./accessibility.ts";
import { showAsBefore, showWith } from "./settled.ts";

/** Faults of a page by check; each line begins with the look that has the fault. */
export type LookFaults = {
  /** Violations of axe's rules. */
  violations: string[];
  /** Fields whose border contrasts less than 3:1 with the background (WCAG 2.2, 1.4.11). */
  faintFrames: string[];
  /** Buttons and fields that have neither a border nor an underline in forced colours. */
  shapeless: string[];
  /** Elements that still move with reduced motion. */
  motion: string[];
  /** Faults of the printed page: it must be dark on white, also in dark mode, without skip link and footer. */
  print: string[];
};

/** Looks in which axe checks the colours. */
export type AxeLooks = "light" | "all";

/** Checks a page in light, dark and forced colours, and printed: each look is shown once, for all its checks. */
export async function findLookFaults(page: Page, axeLooks: AxeLooks): Promise<LookFaults> {
  const axe = await loadAxe(page);
  await showWith(page, { colorScheme: "light" });
  const light = [await findViolations(axe), await listFaintFrames(page)] as const;
  const motion = await listMoving(page);
  await showWith(page, { colorScheme: "dark" });
  const colourViolations = async () => (axeLooks === "all" ? await findColourViolations(axe) : []);
  const dark = [await colourViolations(), await listFaintFrames(page)] as const;
  await showWith(page, { forcedColors: "active" });
  const forced = [await colourViolations(), await listShapeless(page)] as const;
  await showWith(page, { media: "print", colorScheme: "dark" });
  const print = await listPrintFaults(page);
  await showAsBefore(page);
  await axe.dispose();
  return {
    violations: [...named("light", light[0]), ...named("dark", dark[0]), ...named("forced colours", forced[0])],
    faintFrames: [...named("light", light[1]), ...named("dark", dark[1])],
    shapeless: forced[1],
    motion,
    print,
  };
}

function named(look: string, faults: readonly string[]): string[] {
  return faults.map((fault) => `${look}: ${fault}`);
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
