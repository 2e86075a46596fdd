/** The first that fits counts: every browser names its ancestors too. */
const NAMES: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|HeadlessChrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(iPhone|iPad|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * What a browser calls itself, as people know it. Known words only: the text itself is a stranger's, and a mail that
 * repeats it would carry his words under our name.
 */
export function browserName(userAgent: string): { name: string | null; system: string | null } {
  return { name: find(NAMES, userAgent), system: find(SYSTEMS, userAgent) };
}

function find(words: readonly [RegExp, string][], userAgent: string): string | null {
  return words.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}
