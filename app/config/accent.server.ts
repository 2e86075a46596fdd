import { createRequire } from "node:module";
import type { Color } from "culori";
import { z } from "zod";
import type { Accent } from "./config.ts";
import { quote } from "./validate.server.ts";

/** Contrast of text required by WCAG 2.2 AA (1.4.3). */
const TEXT_CONTRAST = 4.5;

/** Contrast of the accent on dark sheets, about that of the product's own green. */
const DARK_CONTRAST = 7;

/** Contrast between a button and the same button under the pointer. */
const HOVER_CONTRAST = 1.35;

/** The grounds of tokens.css: the light page is darker than its white sheet, the dark sheet lighter than its page. */
export const GROUNDS = { light: "#f6f5f1", darkSheet: "#18211d", darkPage: "#101714" } as const;

const WHITE = "#ffffff";
const BLACK = "#000000";

const require = createRequire(import.meta.url);

/** Loads the library on first use, which takes tens of milliseconds: most installations have no ACCENT_COLOR. */
const colours = (): typeof import("culori") => require("culori");

/** ACCENT_COLOR: a colour on which white text, and which as text on light pages, is readable. */
export function accentColour() {
  return z.string().transform((text, ctx) => {
    const wrong = validateAccent(text);
    if (wrong !== null) {
      ctx.issues.push({ code: "custom", message: wrong, input: text });
      return z.NEVER;
    }
    return toAccent(text.toLowerCase());
  });
}

function validateAccent(text: string): string | null {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return `is not a colour of the form #rrggbb: ${quote(text)}`;
  const contrast = contrastOf(text, GROUNDS.light);
  if (contrast >= TEXT_CONTRAST) return null;
  // Rounded down, so that 4.49 is not shown as the required 4.5.
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  const nearest = darken(text, (luminanceOf(GROUNDS.light) + 0.05) / TEXT_CONTRAST - 0.05);
  return `is ${quote(text)}, which has a contrast of ${shown} to 1 on light pages; the nearest colour that is dark enough is ${nearest}`;
}

function toAccent(brand: string): Accent {
  const darkLuminance = (luminanceOf(GROUNDS.darkSheet) + 0.05) * DARK_CONTRAST - 0.05;
  return {
    light: { brand, hover: hoverOf(brand), onBrand: WHITE },
    dark: {
      brand: lighten(brand, darkLuminance),
      hover: lighten(brand, (darkLuminance + 0.05) * HOVER_CONTRAST - 0.05),
      onBrand: GROUNDS.darkPage,
    },
  };
}

/** Returns a darker colour; for one that is almost black, a lighter one. */
function hoverOf(colour: string): string {
  const darker = (luminanceOf(colour) + 0.05) / HOVER_CONTRAST - 0.05;
  if (darker >= 0) return darken(colour, darker);
  return lighten(colour, (luminanceOf(colour) + 0.05) * HOVER_CONTRAST - 0.05);
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastOf(one: string, other: string): number {
  return colours().wcagContrast(one, other);
}

/** Returns the relative luminance, from 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminanceOf(colour: string): number {
  return colours().wcagLuminance(colour);
}

/** Reduces the luminance to at most `luminance` by mixing with black as linear light, which keeps the hue. */
function darken(colour: string, luminance: number): string {
  const mix = colours().interpolate([colour, BLACK], "lrgb");
  return firstOf(mix, (mixed) => luminanceOf(mixed) <= luminance) ?? BLACK;
}

/** Raises the luminance to at least `luminance` by mixing with white, not as linear light, which greys more. */
function lighten(colour: string, luminance: number): string {
  const mix = colours().interpolate([colour, WHITE], "rgb");
  return firstOf(mix, (mixed) => luminanceOf(mixed) >= luminance) ?? WHITE;
}

/** Steps of a mixture, more than the 255 of a byte. */
const STEPS = 500;

function firstOf(mix: (share: number) => Color, isEnough: (colour: string) => boolean): string | undefined {
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = colours().formatHex(mix(step / STEPS));
    if (isEnough(mixed)) return mixed;
  }
  return undefined;
}
