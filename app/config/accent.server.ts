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
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance, from 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = linearOf(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Reduces the luminance to at most `luminance`, without changing the hue. */
function darken(colour: string, luminance: number): string {
  const factor = luminance / luminanceOf(colour);
  const bytes = linearOf(colour).map((value) => Math.floor(encode(value * factor) * 255));
  return hexOf(bytes);
}

/**
 * Raises the luminance to at least `luminance` by mixing with white. Mixes the bytes, because linear light greys more.
 */
function lighten(colour: string, luminance: number): string {
  for (let percent = 0; percent < 100; percent += 1) {
    const mixed = hexOf(bytesOf(colour).map((value) => Math.ceil(value + ((255 - value) * percent) / 100)));
    if (luminanceOf(mixed) >= luminance) return mixed;
  }
  return WHITE;
}

/** Returns red, green and blue as linear light, from 0 to 1 (IEC 61966-2-1). */
function linearOf(colour: string): number[] {
  return bytesOf(colour).map((byte) => {
    const value = byte / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** The inverse of `linearOf`, for one value. */
function encode(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
}

function bytesOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function hexOf(bytes: readonly number[]): string {
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
