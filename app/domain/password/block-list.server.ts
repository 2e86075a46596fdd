import { brotliDecompressSync } from "node:zlib";
import { baseWords, spellings } from "./decorated-words.ts";

/**
 * Returns true for a common password, alone or decorated with a year, a few digits or punctuation. The list is loaded
 * on first use. NIST SP 800-63B-4 §3.1.1.2, OWASP ASVS 6.2.4.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= readList();
  const common = await commonPasswords;
  if (spellings(password).some((spelling) => common.has(spelling))) return true;
  return baseWords(password).some((word) => word === null || common.has(word));
}

let commonPasswords: Promise<ReadonlySet<string>> | null = null;

async function readList(): Promise<ReadonlySet<string>> {
  const { default: file } = await import("./common-passwords.json");
  return new Set(unpackList(file.brotliBase64));
}

/** Decodes the list: base64, brotli, one sorted entry per line. */
export function unpackList(brotliBase64: string): string[] {
  return brotliDecompressSync(Buffer.from(brotliBase64, "base64")).toString("utf8").split("\n");
}
