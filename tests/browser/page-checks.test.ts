import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chromium, startChromium } from "#tests/support/chromium.ts";
import { openPlace, type Place } from "#tests/support/relying-parties/place.ts";
import { findViolations } from "./support/page-checks/accessibility.ts";
import { findFaintFrames, findMotion, findPrintFaults, findShapeless } from "./support/page-checks/colours.ts";
import { findFocusFaults } from "./support/page-checks/focus.ts";
import { findOverflow, findSmallLetters, findSmallTargets } from "./support/page-checks/layout.ts";
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
</style>
</head>
<body>
<div class="sheet" style="background: #222">
<h1>Sign in</h1><h1>Sign in</h1>
<p>Schön, dass Sie da sind. login.heading</p>
<form><input id="name" placeholder="Name" autocomplete="off"><button type="button">Go</button></form>
<span tabindex="3">Sign in</span>
<a id="later" href="/elsewhere">Sign in</a>
</div>
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
    for (const fault of [/cannot be sent/, /not protected/, /positive tabindex/]) {
      expect(faults).toContainEqual(expect.stringMatching(fault));
    }
  });

  it("has violations that axe detects", async () => {
    const violations = (await findViolations(page)).join("\n");
    expect(violations).toContain("light: color-contrast");
    expect(violations).toContain("dark: color-contrast");
    expect(violations).toContain("light: meta-viewport");
  });

  it("mixes languages and shows keys", async () => {
    const found = await findForeignWords(page, "en", []);
    expect(found).toContainEqual(expect.stringContaining("Schön"));
    expect(await findForeignWords(page, "de", [])).toContain("Imprint");
  });

  it("has layout shifts and no visible focus", async () => {
    const faults = (await findFocusFaults(page)).join("\n");
    expect(faults).toContain("no ring of 3 px: INPUT name");
    expect(faults).toMatch(/from .* back to/);
  });

  it("is hard to hit and hard to read", async () => {
    expect(await findSmallTargets(page)).toContainEqual(expect.stringContaining("<input"));
    expect(await findSmallLetters(page)).toEqual(["name: 12px"]);
  });

  it("does not fit", async () => {
    const parts = (await findOverflow(page)).join("\n");
    for (const where of ["320 x 256", "with spacing", "text at 200 %"]) expect(parts).toContain(where);
  });

  it("loses its shapes", async () => {
    expect(await findFaintFrames(page)).toContainEqual(expect.stringContaining("<input"));
    expect(await findShapeless(page)).toContainEqual(expect.stringContaining("<button"));
    expect(await findMotion(page)).toContainEqual(expect.stringContaining("<span"));
  });

  it("wastes ink", async () => {
    const faults = (await findPrintFaults(page)).join("\n");
    expect(faults).toContain("the paper is");
    expect(faults).toContain("<footer>");
  });
});
