import { expect, test } from "vitest";
import { decideMirroring, type Mirroring } from "#app/client/language-mirror.ts";

type Seen = Parameters<typeof decideMirroring>[0];

test.each<[string, Seen, Mirroring]>([
  ["a first visit is remembered", { shown: "en", cookie: null, stored: [null] }, { store: "en" }],
  ["a chosen language is remembered", { shown: "de", cookie: "de", stored: ["en"] }, { store: "de" }],
  [
    "a stored language without a cookie wins",
    { shown: "en", cookie: null, stored: ["de"] },
    { setCookie: "de", reload: true },
  ],
  ["no second load when the language is right", { shown: "de", cookie: null, stored: ["de"] }, { setCookie: "de" }],
  ["a regional cookie counts", { shown: "de", cookie: "de_DE", stored: ["en"] }, { store: "de" }],
  ["rubbish in the storage is replaced", { shown: "en", cookie: null, stored: ["<b>de"] }, { store: "en" }],
  [
    "rubbish in the cookie counts as no cookie",
    { shown: "en", cookie: "fr", stored: ["de"] },
    { setCookie: "de", reload: true },
  ],
  ["a region counts", { shown: "en", cookie: null, stored: ["de-DE"] }, { setCookie: "de", reload: true }],
  ["an underscore counts", { shown: "en", cookie: null, stored: ["de_DE"] }, { setCookie: "de", reload: true }],
  [
    "a language that is none of ours leaves it to the storage of the tab",
    { shown: "en", cookie: null, stored: ["fr", "de"] },
    { setCookie: "de", reload: true },
  ],
  [
    "the local storage precedes that of the tab",
    { shown: "en", cookie: null, stored: ["en", "de"] },
    { setCookie: "en" },
  ],
  ["a page in no language of ours is left alone", { shown: "", cookie: null, stored: ["de"] }, {}],
])("%s", (_promise, seen, mirroring) => {
  expect(decideMirroring(seen)).toEqual(mirroring);
});

test("after the reload nothing is left to do, so it cannot go on for ever", () => {
  expect(decideMirroring({ shown: "de", cookie: "de", stored: ["de"] }).reload).toBeUndefined();
});
