import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";

const STYLES = fileURLToPath(new URL("../../../app/styles", import.meta.url));

/** Limits of the compressed style sheets: that of all pages, and the second one of the settings. */
const MAX_GZIPPED_BYTES = { "login.css": 6 * 1024, "settings.css": 3.5 * 1024 };

const css = readFileSync(`${STYLES}/tokens.css`, "utf8");
const [light = "", dark = ""] = css.split("@media screen and (prefers-color-scheme: dark)");

/** A colour and its background. */
type Pair = readonly [seen: string, ground: string];

/** Text contrast: at least 4.5:1 (WCAG 2.2, 1.4.3). */
const TEXT: readonly Pair[] = [
  ["ink", "card"],
  ["ink", "paper"],
  ["ink", "press"],
  ["muted", "card"],
  ["muted", "paper"],
  ["link", "card"],
  ["link", "paper"],
  ["brand", "card"],
  ["on-brand", "brand"],
  ["on-brand", "brand-hover"],
  ["danger", "card"],
  ...["danger", "warn", "ok", "info"].flatMap((kind): Pair[] => [
    [kind, `${kind}-bg`],
    ["ink", `${kind}-bg`],
  ]),
];

/** Contrast of control borders and the focus ring: at least 3:1 (WCAG 2.2, 1.4.11). */
const SHAPES: readonly Pair[] = [
  ["control", "card"],
  ["control", "paper"],
  ["focus", "card"],
  ["focus", "paper"],
  ["danger", "card"],
];

describe.each([
  ["light", colours(light)],
  ["dark", colours(dark)],
])("the %s colours", (_name, colour) => {
  test.each(TEXT)("%s on %s can be read", (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(SHAPES)("%s on %s can be seen", (shape, ground) => {
    expect(contrast(colour(shape), colour(ground))).toBeGreaterThanOrEqual(3);
  });
});

test.each(Object.entries(MAX_GZIPPED_BYTES))("the style sheet %s is at most %d bytes, compressed", (file, limit) => {
  const built = buildSync({ entryPoints: [`${STYLES}/${file}`], bundle: true, minify: true, write: false });
  expect(gzipSync(built.outputFiles[0]?.contents ?? "").byteLength).toBeLessThanOrEqual(limit);
});

function colours(block: string): (name: string) => string {
  const found = new Map([...block.matchAll(/--([\w-]+): #([0-9a-f]{3,6});/g)].map((match) => [match[1], match[2]]));
  return (name) => {
    const hex = found.get(name);
    if (!hex) throw new Error(`There is no colour --${name}.`);
    return hex;
  };
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance of a hex colour (WCAG 2.2). */
function luminance(hex: string): number {
  const pairs = hex.length === 3 ? [...hex].map((digit) => digit + digit) : (hex.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => {
    const value = Number.parseInt(pair, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
