import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PROVIDERS } from "#app/config/providers.ts";
import { AUDIT_EVENTS, isStoredEvent } from "#app/domain/audit/events.ts";
import { readAllTexts, withoutPlural } from "./texts.ts";

/** Types of the events of the audit trail. */
const STORED = Object.keys(AUDIT_EVENTS).filter(isStoredEvent);

const APP = fileURLToPath(new URL("../../../app", import.meta.url));

/** Keys that code composes at run time, and the expression that composes them. */
const PUT_TOGETHER = [
  {
    pattern: /^scope\.[a-z_]+\.(label|description)$/,
    written: /`scope\.\$\{[^}]+\}\.(label|description)`/,
    reason: "the consent page shows whichever scopes were asked for; their ids are the keys",
  },
  {
    pattern: /^manageActivity\.kind\.(sign-ins|failures|changes|ended-sessions)$/,
    written: /`manageActivity\.kind\.\$\{value\}`/,
    reason: "a text for each kind of event",
  },
  {
    pattern: /^admin\.roles\.(administrator|help-desk)$/,
    written: /`admin\.roles\.\$\{role\}`/,
    reason: "the name of a role",
  },
  {
    pattern: /^adminPeople\.filter\.(all|invited|blocked|no-factor|never|dormant|leaving)$/,
    written: /`adminPeople\.filter\.\$\{filter \?\? "all"\}`/,
    reason: "a text for each filter of the list of people",
  },
  {
    pattern: /^adminImport\.file\.(none|tooLarge|workbook|passwords|tooManyRows)$/,
    written: /`adminImport\.file\.\$\{problem\}`/,
    reason: "a text for each reason to refuse a file",
  },
  {
    pattern: /^adminActivity\.kind\.(sign-ins|failures|changes|ended-sessions|administration)$/,
    written: /`adminActivity\.kind\.\$\{value\}`/,
    reason: "a text for each kind of event",
  },
  {
    pattern: new RegExp(`^adminActivity\\.event\\.(${STORED.join("|")})$`),
    written: /`adminActivity\.event\.\$\{type\}`/,
    reason: "a text for each stored event; their types are the keys",
  },
  {
    pattern: new RegExp(`^login\\.(provider|error)\\.(${PROVIDERS.join("|")})$`),
    written: /`login\.(provider|error)\.\$\{provider\}`/,
    reason: "texts for each external provider; their ids are the keys",
  },
];

function sources(): string {
  const files = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  return files.map((name) => readFileSync(join(APP, name), "utf8")).join("\n");
}

const code = sources();
const keys = new Set([...readAllTexts("en").keys()].map(withoutPlural));

test("every text is used", () => {
  const literals = new Set([...code.matchAll(/(["'`])([\w.-]+)\1/g)].map((match) => match[2]));
  const unused = [...keys].filter(
    (key) => !literals.has(key) && !PUT_TOGETHER.some(({ pattern }) => pattern.test(key)),
  );
  expect(unused).toEqual([]);
});

test("every used key exists, so no page shows a bare key", () => {
  const usedKeys = [...code.matchAll(/\bt\(\s*(["'`])([^"'`$]+)\1/g)].map((match) => match[2] ?? "");
  expect(usedKeys.filter((key) => !keys.has(key))).toEqual([]);
});

test.each(PUT_TOGETHER)("keys like $pattern are still put together: $reason", ({ written }) => {
  expect(written.test(code)).toBe(true);
});

test("every other key put together in a call is on the list", () => {
  const templates = [...code.matchAll(/\bt\(\s*(`[^`]*\$\{[^`]*`)/g)].map((match) => match[1] ?? "");
  expect(templates.filter((template) => !PUT_TOGETHER.some(({ written }) => written.test(template)))).toEqual([]);
});
