import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import type { Logo } from "./config.ts";
import { quote } from "./validate.server.ts";

/** Limits of LOGO_FILE; a side of a PNG is measured in pixels. */
export const LOGO_MAX_KB = 64;
export const LOGO_MIN_PIXELS = 28;
export const LOGO_MAX_PIXELS = 1024;

/** A logo, or the rest of a sentence that starts with LOGO_FILE. */
type Read = { logo: Logo } | { wrong: string };

/** LOGO_FILE: the path of an SVG or PNG file, read and checked. */
export function logoFile() {
  return z.string().transform((path, ctx) => {
    const read = readLogo(path);
    if ("wrong" in read) {
      ctx.issues.push({ code: "custom", message: read.wrong, input: path });
      return z.NEVER;
    }
    return read.logo;
  });
}

function readLogo(path: string): Read {
  const file = readSmallFile(path);
  if ("wrong" in file) return file;
  const { content } = file;
  const type = typeOf(content);
  if (type === null) return { wrong: `is neither an SVG nor a PNG file: ${quote(path)}` };
  const problem = type === "image/png" ? problemOfPng(content) : problemOfSvg(content);
  if (problem !== null) return { wrong: `is ${quote(path)}, which ${problem}` };
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return { logo: { type, content, hash } };
}

function readSmallFile(path: string): { content: Buffer } | { wrong: string } {
  try {
    // Before reading, which never ends for some devices.
    const status = statSync(path);
    if (!status.isFile()) return { wrong: `is not a file: ${quote(path)}` };
    if (status.size > LOGO_MAX_KB * 1024) {
      return { wrong: `is ${quote(path)}, which has ${Math.ceil(status.size / 1024)} KB` };
    }
    return { content: readFileSync(path) };
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return { wrong: `cannot be read from ${quote(path)} (${reason})` };
  }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Decides by content, because a file's name proves nothing. */
function typeOf(content: Buffer): Logo["type"] | null {
  if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return "image/png";
  return /<svg[\s>]/.test(content.toString("utf8")) ? "image/svg+xml" : null;
}

/** Size of a chunk without its data: length, type and checksum (PNG specification §5.3). */
const CHUNK_FRAME = 12;

function problemOfPng(content: Buffer): string | null {
  const types: string[] = [];
  let at = PNG_SIGNATURE.length;
  while (at + CHUNK_FRAME <= content.length && types.at(-1) !== "IEND") {
    types.push(content.toString("latin1", at + 4, at + 8));
    at += CHUNK_FRAME + content.readUInt32BE(at);
  }
  if (types[0] !== "IHDR" || types.at(-1) !== "IEND" || at !== content.length) return "is damaged; export it again";
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  const isAllowed = [width, height].every((side) => side >= LOGO_MIN_PIXELS && side <= LOGO_MAX_PIXELS);
  return isAllowed ? null : `has ${width} × ${height} pixels; scale it`;
}

/**
 * Patterns that an SVG may not contain. Browsers run no script and load nothing for an image of a page; these rules, and the
 * headers of its response, protect a user who opens the image's URL. They apply to the text, so they also refuse some
 * harmless files, which an editor's export as "plain" or "optimised" SVG turns into accepted ones.
 */
const SVG_PROBLEMS: readonly [RegExp, string][] = [
  [/<!(?!--)/, "contains a DOCTYPE, an entity or CDATA; export it as plain SVG"],
  [/<\?(?!xml\s)/i, "contains a processing instruction; export it as plain SVG"],
  // The text is checked as UTF-8: in another encoding, it could be read as something else.
  [/<\?xml\s[^>]*encoding\s*=\s*["'](?!utf-8["'])/i, "declares another encoding than UTF-8; save it in UTF-8"],
  [/1999\/xhtml/i, "contains HTML; export it with paths only"],
  // The pattern allows the predefined entities only: another reference could hide one of the words below.
  [/&(?!(?:amp|lt|gt|quot|apos);)/, "contains a character or entity reference; write the character itself"],
  [/\\/, "contains a backslash; remove it"],
  [/<\s*(?:[\w.-]+:)?script\b/i, "contains a script; remove it"],
  [
    /<\s*(?:[\w.-]+:)?(?:foreignobject|iframe|embed|object|audio|video|image|feimage|a|animate\w*|set|handler|listener)[\s/>]/i,
    "contains an embedded image, a link, an animation or foreign content; export it with paths only",
  ],
  [/[\s"'/](?:[\w.-]+:)?on\w+\s*=/i, "contains an event attribute (on…); remove it"],
  [/\b(?:href|src)\s*=\s*(?!["']#)/i, "contains a reference to another file; export it with paths only"],
  [/\burl\s*\(\s*(?!["']?#)|@import|image-set\s*\(/i, "contains a style that refers to another file; remove it"],
];

/** Maximum number of `<use>` elements: copies of copies multiply, so that a small file could stop a browser. */
const MAX_COPIES = 20;

function problemOfSvg(content: Buffer): string | null {
  const text = decode(content);
  if (text === null) return "is not in UTF-8; save it in UTF-8";
  const found = SVG_PROBLEMS.find(([pattern]) => pattern.test(text));
  if (found) return found[1];
  const copies = text.match(/<\s*(?:[\w.-]+:)?use\b/gi) ?? [];
  if (copies.length > MAX_COPIES) return `contains more than ${MAX_COPIES} copies (<use>); export it with paths only`;
  const body = text
    .replace(/^\s*<\?xml\s[^>]*\?>/i, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .trim();
  if (!/^<svg\s[^>]*xmlns=["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(body) || !body.endsWith("</svg>")) {
    return 'is not one <svg xmlns="http://www.w3.org/2000/svg"> element; export it again';
  }
  return null;
}

function decode(content: Buffer): string | null {
  try {
    // Removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
