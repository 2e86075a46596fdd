/**
 * The spellings under which a password may stand on a list of common ones: as it is, and with the signs above the digits
 * read as their digits ("1qaz@WSX" is typed like "1qaz2wsx"). In lower case.
 */
export function spellings(password: string): string[] {
  const folded = password.normalize("NFKC").toLowerCase();
  return [folded, read(folded, SHIFTED_DIGITS)];
}

/**
 * The words that a password comes down to when it is one word with little around it: "P@ssw0rd2024!" is "password", and
 * "Summersummer1" is "summer". `null` stands for a password that is hardly more than a run of digits. Nothing at all
 * when the password is more than that, such as several words.
 */
export function wordsBehind(password: string): (string | null)[] {
  const folded = password.normalize("NFKC").toLowerCase();
  return CORES.flatMap((shape) => {
    const [, before = "", core = "", after = ""] = shape.exec(folded) ?? [];
    if (surprises(before) + surprises(after) > MAX_SURPRISES) return [];
    if (core.length <= MAX_EMPTY_CORE) return [null];
    const words = READINGS.map((signs) => read(core, signs));
    return [...words, ...words.map(unitOf)];
  });
}

/** The word between what stands before and after it; some write the first letter as a sign. */
const CORES = [/^([^\p{L}]*)(.*?)([^\p{L}]*)$/su, /^()(.*?)([^\p{L}]*)$/su] as const;

/** Up to so many surprises are no more than a decoration: a year and a sign. */
const MAX_SURPRISES = 5;

/** Up to so many letters say nothing: "abc", "qwe". */
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

const LETTER_SIGNS: Readonly<Record<string, string>> = {
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

const READINGS = [LETTER_SIGNS, { ...LETTER_SIGNS, "1": "l", "!": "l" }] as const;

function read(text: string, signs: Readonly<Record<string, string>>): string {
  return [...text].map((sign) => signs[sign] ?? sign).join("");
}

/** How often a text takes a turn that nobody foresees: a year counts as one, and so does a run: 1234, 4321, 1111. */
function surprises(decoration: string): number {
  const text = decoration.replace(/(19|20)\d\d/g, "y");
  let count = 0;
  let step: number | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const next: number = index === 0 ? Number.NaN : text.charCodeAt(index) - text.charCodeAt(index - 1);
    const goesOn = step === null ? isRunStep(next) : next === step && isRunStep(next);
    // After 9 the row begins again with 0.
    const wraps = text[index - 1] === "9" && text[index] === "0" && step === 1;
    if (goesOn || wraps) {
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

/** The shortest piece that a text repeats, or the text itself. */
function unitOf(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, period);
}
