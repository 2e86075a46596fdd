import { RemixI18Next } from "remix-i18next/server";
import type { Area, Source } from "./detection.ts";
import { DETECTION, LANGUAGE_PARAMETER, languageCookie, readLanguageCookie } from "./detection.ts";
import type { Language } from "./language.ts";
import { FALLBACK_LANGUAGE, isLanguage, LANGUAGES } from "./language.ts";

export type DetectedLanguage = {
  language: Language;
  /** `Set-Cookie` value that stores a language chosen by link; null if none was chosen. */
  setCookie: string | null;
};

/** Detects the language of a page in the area's order; unsupported languages are ignored. */
export async function detectLanguage(request: Request, area: Area): Promise<DetectedLanguage> {
  const found = await detectors[area].getLocale(request);
  const language = isLanguage(found) ? found : FALLBACK_LANGUAGE;
  const url = new URL(request.url);
  const wasChosen = area === "login" && plainTag(url.searchParams.get(LANGUAGE_PARAMETER)) === language;
  return { language, setCookie: wasChosen ? languageCookie(language, url.protocol === "https:") : null };
}

const detectors = { login: createDetector("login"), manage: createDetector("manage") };

function createDetector(area: Area): RemixI18Next {
  return new RemixI18Next({
    detection: {
      supportedLanguages: [...LANGUAGES],
      fallbackLanguage: FALLBACK_LANGUAGE,
      // The library's own readers do not fit: it expects a Remix-encoded cookie, where i18next's is plain text, and it
      // reads only the first language of Accept-Language ("ru, de;q=0.5" would become English).
      order: ["custom"],
      findLocale: async (request) => candidates(request, DETECTION[area].order),
    },
  });
}

/** Returns the languages of each source in order, in the syntax of an Accept-Language header. */
function candidates(request: Request, order: readonly Source[]): string[] {
  return order.map((source) => readers[source]?.(request) ?? "").filter((tag) => tag !== "");
}

/** Readers of the sources available to the server. */
const readers: Partial<Record<Source, (request: Request) => string>> = {
  querystring: (request) => plainTag(new URL(request.url).searchParams.get(LANGUAGE_PARAMETER)),
  cookie: (request) => plainTag(readLanguageCookie(request.headers.get("cookie") ?? "")),
  navigator: (request) => acceptedLanguages(request.headers.get("accept-language") ?? ""),
};

/** Returns the primary subtag ("de-AT" → "de"); "" for an invalid tag. */
function plainTag(tag: string | null): string {
  return /^([a-z]{2,3})(-[a-z0-9]+)*$/i.exec(tag ?? "")?.[1]?.toLowerCase() ?? "";
}

/** Removes regions, else "de-AT, en;q=0.5" would select English, and ranges with q=0 (RFC 9110 §12.4.2). */
function acceptedLanguages(header: string): string {
  const ranges = header.split(",").map((range) => range.replaceAll(/\s/g, ""));
  const wanted = ranges.filter((range) => !/;q=0(\.0*)?$/i.test(range));
  return wanted.map((range) => range.replace(/^([a-z]+)(-[a-z0-9]+)*/i, "$1")).join(",");
}
