import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generateLanguages } from "../../../scripts/generate-languages.ts";

const LIST = "app/i18n/languages.generated.ts";
const RESOURCES = "app/i18n/resources.generated.server.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "gatehouse-languages-"));
  mkdirSync(join(root, "app/i18n"), { recursive: true });
  addLanguage("en", ["common.json", "mail.json"]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function addLanguage(name: string, files: readonly string[]): void {
  mkdirSync(join(root, "locales", name), { recursive: true });
  for (const file of files) writeFileSync(join(root, "locales", name, file), "{}");
}

const generate = () => generateLanguages(root, { check: false });

test("a folder is a language; English is first", async () => {
  addLanguage("de", ["common.json", "mail.json"]);
  expect(await generate()).toEqual([LIST, RESOURCES]);
  expect(readFileSync(join(root, LIST), "utf8")).toContain('LANGUAGES = ["en", "de"] as const;');
  expect(readFileSync(join(root, RESOURCES), "utf8")).toContain(
    "  de: {\n    translation: { ...deCommon, ...deMail },\n  },\n  en: {\n    translation: { ...enCommon, ...enMail },\n  },\n",
  );
});

test("a new folder is stale until it is generated", async () => {
  await generate();
  expect(await generateLanguages(root, { check: true })).toEqual([]);
  addLanguage("fr", ["common.json", "mail.json"]);
  expect(await generateLanguages(root, { check: true })).toEqual([LIST, RESOURCES]);
  expect(await generate()).toEqual([LIST, RESOURCES]);
  expect(await generate()).toEqual([]);
});

test("a folder that lacks a file, or is named by no language, is refused", async () => {
  addLanguage("fr", ["common.json"]);
  await expect(generate()).rejects.toThrow("locales/fr lacks mail.json. Copy it from locales/en and translate it.");
  rmSync(join(root, "locales/fr"), { recursive: true });
  addLanguage("pt-BR", ["common.json", "mail.json"]);
  await expect(generate()).rejects.toThrow("Name the folder by its code without region, such as pt.");
});
