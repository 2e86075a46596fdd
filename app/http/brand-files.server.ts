import { createHash } from "node:crypto";
import type { Accent, AccentColours, Config, Logo } from "#app/config/config.ts";

/** A file made from the configuration. `path` contains a hash of the content, `policy` is its CSP. */
export type BrandFile = { path: string; type: string; content: Buffer; policy: string };

/** The files of LOGO_FILE and ACCENT_COLOR; null without these keys. */
export type BrandFiles = { logo: BrandFile | null; styleSheet: BrandFile | null };

/** Policy of a logo, for a user who opens it by its URL: an SVG runs no script, loads nothing, and has no access to our origin. */
export const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const STYLE_POLICY = "default-src 'none'; sandbox";

/** Creates the office's files for pages. */
export function createBrandFiles({ logo, accent }: Pick<Config, "logo" | "accent">): BrandFiles {
  const css = `${accent ? accentStyles(accent) : ""}${logo ? logoStyles(logo) : ""}`;
  return { logo: logo && logoFileOf(logo), styleSheet: css === "" ? null : styleSheetOf(css) };
}

function logoFileOf({ type, content, hash }: Logo): BrandFile {
  const policy = LOGO_POLICY;
  if (type === "image/png") return { path: `/brand/logo-${hash}.png`, type, content, policy };
  // The encoding in which the file was checked: its XML declaration could name another one.
  return { path: `/brand/logo-${hash}.svg`, type: `${type}; charset=utf-8`, content, policy };
}

function styleSheetOf(css: string): BrandFile {
  const hash = createHash("sha256").update(css).digest("hex").slice(0, 16);
  const path = `/brand/style-${hash}.css`;
  return { path, type: "text/css; charset=utf-8", content: Buffer.from(css), policy: STYLE_POLICY };
}

/** Overrides the custom properties of tokens.css, in the same layer and after it. */
export function accentStyles({ light, dark }: Accent): string {
  return `@layer tokens {
  :root { ${properties(light)} }
  @media screen and (prefers-color-scheme: dark) {
    :root { ${properties(dark)} }
  }
}
`;
}

function properties({ brand, hover, onBrand }: AccentColours): string {
  return `--brand: ${brand}; --brand-hover: ${hover}; --on-brand: ${onBrand};`;
}

/**
 * Sizes the logo, and shows it on printed recovery codes. Logos are drawn for white paper, so that dark pages give them
 * a white background, unless the SVG has colours for dark pages itself.
 */
function logoStyles({ type, content }: Logo): string {
  const hasDarkColours = type === "image/svg+xml" && content.includes("prefers-color-scheme");
  const background = `  @media screen and (prefers-color-scheme: dark) {
    .brand img { padding: 0.25rem; border-radius: 0.25rem; background: #fff; }
  }
`;
  return `@layer parts {
  .brand:has(img) { grid-template-columns: auto minmax(0, 1fr); line-height: 1.75rem; }
  .brand img {
    box-sizing: border-box; block-size: 1.75rem; inline-size: auto; max-inline-size: 10rem;
    object-fit: contain; object-position: left;
  }
${hasDarkColours ? "" : background}}
@layer print {
  @media print {
    .sheet:has(.codes) :is(.brand, .from-to) { display: grid; }
    .sheet:has(.codes) .from-to .place { display: none; }
    .settings:has(.codes) header:has(.brand) { display: block; }
    .settings:has(.codes) header :not(.brand, .brand *, :has(.brand)) { display: none; }
  }
}
`;
}
