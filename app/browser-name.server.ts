/** The first match applies: a user agent also contains the names of related browsers. */
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
 * Derives the names of browser and operating system from a User-Agent header. Returns known names only, because the
 * header is untrusted text and must not appear in a mail.
 */
export function browserName(userAgent: string): { name: string | null; system: string | null } {
  return { name: find(NAMES, userAgent), system: find(SYSTEMS, userAgent) };
}

function find(words: readonly [RegExp, string][], userAgent: string): string | null {
  return words.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
}
