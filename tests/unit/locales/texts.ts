import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";

export const FILES = ["common", "login", "manage", "errors", "scopes", "mail"] as const;

export type TextFile = (typeof FILES)[number];

/** The top-level keys that each file owns. */
export const OWNED: Record<TextFile, string[]> = {
  common: ["common", "formPost", "footer", "field"],
  login: [
    "login",
    "loginHint",
    "loginResult",
    "logout",
    "consent",
    "front",
    "mfaLogin",
    "webauthn",
    "recovery",
    "register",
    "selectAccount",
    "passwordReset",
    "passwordNotice",
    "passwordRules",
    "passwordMeter",
    "passwordTips",
    "mfaReset",
  ],
  manage: [
    "manage",
    "manageConfirm",
    "manageOpening",
    "manageError",
    "manageErrorHelp",
    "manageMfa",
    "manageTotp",
    "manageFido2",
    "manageKey",
    "manageFactor",
    "manageCodes",
    "managePassword",
    "manageUsername",
    "manageSessions",
    "manageApplications",
    "manageActivity",
  ],
  errors: ["serverError", "oauthError"],
  scopes: ["scope"],
  mail: ["mail"],
};

const ROOT = fileURLToPath(new URL("../../../locales", import.meta.url));

/** The texts of one file by dotted key, in the order of the file. */
export function readTexts(language: Language, file: TextFile): Map<string, string> {
  return new Map(flatten(JSON.parse(readFileSync(`${ROOT}/${language}/${file}.json`, "utf8")), ""));
}

/** All texts of a language by dotted key. */
export function readAllTexts(language: Language): Map<string, string> {
  return new Map(FILES.flatMap((file) => [...readTexts(language, file)]));
}

/** What lies in the folder of texts: languages, and the files of each. */
export function listFolders(): Record<string, string[]> {
  return Object.fromEntries(readdirSync(ROOT).map((name) => [name, readdirSync(`${ROOT}/${name}`).sort()]));
}

export const EVERY_FILE = LANGUAGES.flatMap((language) => FILES.map((file) => ({ language, file })));

/** `login.error.rateLimited_one` → `login.error.rateLimited`, the key as code names it. */
export function withoutPlural(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, "");
}

/** Texts in objects, however deep, by dotted key. */
export function flatten(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) throw new Error(`${path || "the file"} is neither text nor object`);
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, path ? `${path}.${name}` : name));
}
