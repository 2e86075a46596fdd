import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LANGUAGES, type Language } from "#app/i18n/language.ts";

export const FILES = ["common", "login", "manage", "errors", "scopes", "mail", "administration"] as const;

type TextFile = (typeof FILES)[number];

/** Top-level keys of each file. */
export const OWNED: Record<TextFile, string[]> = {
  common: ["common", "formPost", "footer", "field"],
  login: [
    "login",
    "loginHint",
    "loginResult",
    "logout",
    "consent",
    "front",
    "start",
    "mfaLogin",
    "webauthn",
    "recovery",
    "register",
    "selectAccount",
    "passwordReset",
    "noAccess",
    "passwordNotice",
    "passwordRules",
    "passwordMeter",
    "passwordTips",
    "mfaReset",
    "passkeyOffer",
  ],
  manage: [
    "manage",
    "manageConfirm",
    "manageDevices",
    "manageDefault",
    "manageOpening",
    "manageError",
    "manageErrorHelp",
    "manageMfa",
    "manageTotp",
    "manageFido2",
    "manageKey",
    "managePasskey",
    "manageLanguage",
    "manageFactor",
    "manageCodes",
    "managePassword",
    "manageUsername",
    "manageProfile",
    "manageSessions",
    "manageApplications",
    "manageActivity",
  ],
  administration: [
    "admin",
    "adminPages",
    "adminPeople",
    "adminInvite",
    "adminPerson",
    "adminChange",
    "adminHelp",
    "help",
    "adminImport",
    "adminGroups",
    "adminActivity",
  ],
  errors: ["serverError", "oauthError"],
  scopes: ["scope"],
  mail: ["mail", "notMe", "emailChange"],
};

const ROOT = fileURLToPath(new URL("../../../locales", import.meta.url));

/** Reads the texts of one file by dotted key, in file order. */
export function readTexts(language: Language, file: TextFile): Map<string, string> {
  return new Map(flatten(JSON.parse(readFileSync(`${ROOT}/${language}/${file}.json`, "utf8")), ""));
}

/** Reads all texts of a language by dotted key. */
export function readAllTexts(language: Language): Map<string, string> {
  return new Map(FILES.flatMap((file) => [...readTexts(language, file)]));
}

/** Returns the language folders and their files. */
export function listFolders(): Record<string, string[]> {
  return Object.fromEntries(readdirSync(ROOT).map((name) => [name, readdirSync(`${ROOT}/${name}`).sort()]));
}

export const EVERY_FILE = LANGUAGES.flatMap((language) => FILES.map((file) => ({ language, file })));

/** Removes the plural suffix: `login.error.rateLimited_one` → `login.error.rateLimited`. */
export function withoutPlural(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, "");
}

/** Flattens nested texts to pairs of dotted key and text. */
export function flatten(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) throw new Error(`${path || "the file"} is neither text nor object`);
  return Object.entries(value).flatMap(([name, inner]) => flatten(inner, path ? `${path}.${name}` : name));
}
