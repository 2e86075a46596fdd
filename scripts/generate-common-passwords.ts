import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { unpackList } from "#app/domain/password/block-list.server.ts";
import { PASSWORD_MIN_LENGTH } from "#app/domain/password/rules.ts";

const FILE = "app/domain/password/common-passwords.json";
const SOURCE = "@zxcvbn-ts/language-common";

/** Words after this rank are not common enough to be blocked. */
const MAX_WORD_RANK = 20_000;

const MIN_WORD_LENGTH = 4;

/**
 * Writes the list of common passwords, unless `check` is set. Returns the stale paths. The list contains the passwords
 * that are long enough for the password rules, and the words inside all passwords, which become long enough by adding
 * digits.
 */
export async function generateCommonPasswords(root: string, { check }: { check: boolean }): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const { dictionary }: { dictionary: Record<string, string[]> } = require(SOURCE);
  const entries = selectEntries(dictionary["passwords-common"] ?? []);
  const licence = await readFile(join(dirname(require.resolve(SOURCE)), "../LICENSE.txt"), "utf8");
  const file = join(root, FILE);
  if (await isCurrent(file, entries, licence)) return [];
  if (!check) await writeFile(file, render(entries, licence));
  return [FILE];
}

/** `passwords` must be in lower case, sorted by frequency. */
function selectEntries(passwords: readonly string[]): string[] {
  const words = passwords.slice(0, MAX_WORD_RANK).map(wordInside);
  const long = passwords.filter((password) => [...password].length >= PASSWORD_MIN_LENGTH);
  return [...new Set([...words.filter((word) => word.length >= MIN_WORD_LENGTH), ...long])].sort();
}

/** Removes leading and trailing digits and symbols; returns "" if more than one word remains. */
function wordInside(password: string): string {
  return /^[^a-z]*([a-z]*)[^a-z]*$/.exec(password)?.[1] ?? "";
}

/** Compares the content, not the bytes, because brotli versions may compress differently. */
async function isCurrent(file: string, entries: readonly string[], licence: string): Promise<boolean> {
  // A missing file is stale.
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return false;
  const present: { licence: string; brotliBase64: string } = JSON.parse(text);
  return present.licence === licence.trim() && unpackList(present.brotliBase64).join("\n") === entries.join("\n");
}

function render(entries: readonly string[], licence: string): string {
  const packed = brotliCompressSync(entries.join("\n"), { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const content = {
    about: `Common passwords, generated from the package ${SOURCE}: npm run generate`,
    licence: licence.trim(),
    brotliBase64: packed.toString("base64"),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
