import { brotliDecompressSync } from "node:zlib";

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

/**
 * Returns the lower-cased spellings to look up in the block list: the password itself, and the password with shifted
 * digits read as digits ("1qaz@WSX" as "1qaz2wsx").
 */
function spellings(password: string): string[] {
  const folded = password.normalize("NFKC").toLowerCase();
  return [folded, read(folded, SHIFTED_DIGITS)];
}

/**
 * Returns the base words of a decorated password: "password" for "P@ssw0rd2024!", "summer" for "Summersummer1". `null`
 * stands for a password that is little more than a run of digits. Empty if the decoration is too long.
 */
function baseWords(password: string): (string | null)[] {
  const folded = password.normalize("NFKC").toLowerCase();
  return CORES.flatMap((shape) => {
    const [, before = "", core = "", after = ""] = shape.exec(folded) ?? [];
    if (countUnpredictable(before) + countUnpredictable(after) > MAX_UNPREDICTABLE) return [];
    if (core.length <= MAX_EMPTY_CORE) return [null];
    const words = READINGS.map((substitutions) => read(core, substitutions));
    return [...words, ...words.map(unitOf)];
  });
}

/** Prefix, base word, suffix. The second shape has no prefix, because the first letter may be replaced by a symbol. */
const CORES = [/^([^\p{L}]*)(.*?)([^\p{L}]*)$/su, /^()(.*?)([^\p{L}]*)$/su] as const;

/** Longest decoration, in `countUnpredictable`: a year and a symbol, for example. */
const MAX_UNPREDICTABLE = 5;

/** Longest base word that is ignored, such as "abc" or "qwe". */
const MAX_EMPTY_CORE = 3;

const SHIFTED_DIGITS: Readonly<Record<string, string>> = {
  "!": "1",
  "@": "2",
  "#": "3",
  $: "4",
  "%": "5",
  "^": "6",
  "&": "7",
  "*": "8",
  "(": "9",
  ")": "0",
};

const LETTER_SUBSTITUTIONS: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

const READINGS = [LETTER_SUBSTITUTIONS, { ...LETTER_SUBSTITUTIONS, "1": "l", "!": "l" }] as const;

function read(text: string, substitutions: Readonly<Record<string, string>>): string {
  return [...text].map((character) => substitutions[character] ?? character).join("");
}

/** Counts the unpredictable parts of a decoration. A year or a run such as 1234, 4321 or 1111 counts as one. */
function countUnpredictable(decoration: string): number {
  const text = decoration.replace(/(19|20)\d\d/g, "y");
  let count = 0;
  let step: number | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const next: number = index === 0 ? Number.NaN : text.charCodeAt(index) - text.charCodeAt(index - 1);
    const continuesRun = step === null ? isRunStep(next) : next === step && isRunStep(next);
    // The run continues from 9 to 0.
    const wraps = text[index - 1] === "9" && text[index] === "0" && step === 1;
    if (continuesRun || wraps) {
      step ??= next;
      continue;
    }
    count += 1;
    step = null;
  }
  return count;
}

function isRunStep(step: number): boolean {
  return step === 0 || step === 1 || step === -1;
}

/** Returns the shortest unit whose repetition gives the text, or the text itself. */
function unitOf(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, period);
}
