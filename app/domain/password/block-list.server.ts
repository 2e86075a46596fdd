import { brotliDecompressSync } from "node:zlib";
import { spellings, wordsBehind } from "./common-shapes.ts";

/**
 * Whether a password is one of those that people choose most, or such a word with a year, a few digits or signs around
 * it. The list is read once, when it is first needed. NIST SP 800-63B-4 section 3.1.1.2, OWASP ASVS 6.2.4.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= readList();
  const common = await list;
  if (spellings(password).some((spelling) => common.has(spelling))) return true;
  return wordsBehind(password).some((word) => word === null || common.has(word));
}

let list: Promise<ReadonlySet<string>> | null = null;

async function readList(): Promise<ReadonlySet<string>> {
  const { default: file } = await import("./common-passwords.json");
  return new Set(unpackList(file.brotliBase64));
}

/** The entries of the list as the file holds them: one a line, sorted, brotli, base64. */
export function unpackList(brotliBase64: string): string[] {
  return brotliDecompressSync(Buffer.from(brotliBase64, "base64")).toString("utf8").split("\n");
}
