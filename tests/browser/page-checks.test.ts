import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chromium, startChromium } from "#tests/support/chromium.ts";
import { openPlace, type Place } from "#tests/support/relying-parties/place.ts";
import { findLookFaults } from "./support/page-checks/colours.ts";
import { findFocusFaults } from "./support/page-checks/focus.ts";
import { findLayoutFaults } from "./support/page-checks/layout.ts";
import { findAnatomyFaults } from "./support/page-checks/structure.ts";
import { findForeignWords } from "./support/page-checks/wording.ts";

/** A page with nearly every fault that the checks detect. */
const BAD_PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, user-scalable=no">
<title>Sign in</title>
<link rel="icon" href="data:,">
<style>
  body { background: #222; color: #eee; transition: color 1s; }
  input { border: 1px solid #2b2b2b; font-size: 12px; height: 20px; outline: none; }
  button { border: 0; }
  p { width: 700px; }
  #later { position: absolute; top: 0; right: 0; }
  span { transition: opacity 1s; }
  b { display: block; width: 3em; overflow-wrap: anywhere; }
  i { forced-color-adjust: none; color: #999; background: #888; }
</style>
</head>
<body>
<div class="sheet" style="background: #222">
<h1>Sign in</h1><h1>Sign in</h1>
<p>Schön, dass Sie da sind. login.heading</p>
<form><input id="name" placeholder="Name" autocomplete="off"><button type="button">Go</button></form>
<span tabindex="3">Sign in</span>
<b>Narrowest</b><i>Sign in</i>
<p>Sign in <a href="/hidden" style="text-decoration: none">Sign in</a></p>
<a id="later" href="/elsewhere">Sign in</a>
</div>
<div style="display: grid"><em style="grid-area: 1 / 1">Office</em><strong style="grid-area: 1 / 1">Bremen</strong></div>
<p role="status" data-busy></p>
<footer>Imprint</footer>
</body>
</html>`;

let chromium: Chromium;
let place: Place;
let page: Page;
let close: () => Promise<void>;

beforeAll(async () => {
  [chromium, place] = await Promise.all([startChromium(), openPlace()]);
  place.serve((_request, reply) => reply.setHeader("content-type", "text/html").end(BAD_PAGE));
  ({ page, close } = await chromium.open());
  await page.goto(place.url);
});
afterAll(async () => {
  await close();
  await chromium.close();
  await place.close();
});

describe("a page with every fault", () => {
  it("is not sound", async () => {
    const faults = await findAnatomyFaults({ page, language: "de" });
    for (const fault of [/lang is en/, /2 h1/, /0 main/, /skip/, /zoom/, /no label/, /placeholder/, /is off/, /post/]) {
      expect(faults).toContainEqual(expect.stringMatching(fault));
    }
    for (const fault of [/cannot be sent/, /not protected/, /positive tabindex/, /never ends loading/]) {
      expect(faults).toContainEqual(expect.stringMatching(fault));
    }
  });

  it("mixes languages and shows keys", async () => {
    const found = await findForeignWords(page, "en", []);
    expect(found).toContainEqual(expect.stringContaining("Schön"));
    expect(await findForeignWords(page, "de", [])).toContain("Imprint");
  });

  it("has a wrong tab order and no visible focus", async () => {
    const faults = (await findFocusFaults(page)).join("\n");
    expect(faults).toContain("no ring of 3 px: INPUT name");
    expect(faults).toMatch(/from .* back to/);
  });

  it("is hard to hit, hard to read, and does not fit", async () => {
    const { smallTargets, smallLetters, tornWords, overflow, overlaps } = await findLayoutFaults(page);
    expect(smallTargets).toContainEqual(expect.stringContaining("<input"));
    expect(smallLetters).toEqual(["name: 12px"]);
    for (const size of ["1280 px", "640 px"]) {
      expect(tornWords).toContainEqual(`${size}: Narrowest in <b class="">`);
    }
    const parts = overflow.join("\n");
    for (const size of ["1280 px", "640 px", "320 px"]) expect(overlaps).toContain(`${size}: Office | Bremen`);
    for (const where of ["320 x 256", "with spacing", "text at 200 %"]) expect(parts).toContain(where);
  });

  it("has violations that axe detects, loses its shapes and wastes ink", async () => {
    const { violations, faintTexts, faintFrames, shapeless, motion, print } = await findLookFaults(page, "all");
    const found = violations.join("\n");
    expect(found).toContain("color-contrast:");
    expect(found).toContain("meta-viewport:");
    for (const recommended of ["landmark-one-main:", "region:", "tabindex:"]) expect(found).toContain(recommended);
    for (const look of ["light", "dark", "forced colours"]) {
      expect(faintTexts).toContain(`${look}: 1.24 to 1: <i>Sign in</i>`);
    }
    expect(faintTexts).toContainEqual(expect.stringMatching(/^dark: only its colour shows a link: <a href="\/hidden"/));
    expect(faintFrames).toContainEqual(expect.stringMatching(/^light: .*<input/));
    expect(faintFrames).toContainEqual(expect.stringMatching(/^dark: .*<input/));
    expect(shapeless).toContainEqual(expect.stringContaining("<button"));
    expect(motion).toContainEqual(expect.stringContaining("<span"));
    expect(print).toContainEqual(expect.stringContaining("the paper is"));
    expect(print).toContainEqual(expect.stringContaining("<footer>"));
  });
});
