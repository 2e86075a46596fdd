import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import type { Logo } from "./config.ts";
import { problemOfSvg } from "./svg.server.ts";
import { quote } from "./validate.server.ts";

/** Limits of LOGO_FILE; a side of a PNG is measured in pixels. */
export const LOGO_MAX_KB = 64;
export const LOGO_MIN_PIXELS = 28;
export const LOGO_MAX_PIXELS = 1024;

/** A logo, or the rest of a sentence that starts with LOGO_FILE or --logo-file. */
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

/** Reads and checks a logo: an SVG or PNG file within the limits above, without script or references to other files. */
export function readLogo(path: string): Read {
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
