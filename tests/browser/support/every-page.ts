import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExternalSetup } from "./external-setup.ts";
import { findViolations } from "./page-checks/accessibility.ts";
import { findFaintFrames, findMotion, findPrintFaults, findShapeless } from "./page-checks/colours.ts";
import { findFocusFaults } from "./page-checks/focus.ts";
import { findOverflow, findSmallLetters, findSmallTargets, findTornWords } from "./page-checks/layout.ts";
import { findAnatomyFaults } from "./page-checks/structure.ts";
import { findForeignWords } from "./page-checks/wording.ts";
import { createPageSetup, namesIn, openVisit, type PageSetup, type Visit } from "./page-setup.ts";
import { type PageState, STATES } from "./states.ts";
import { EXTERNAL_STATES } from "./states-external.ts";

/** A language, with or without the page's scripts. */
type Edition = { language: "en" | "de"; scripts: "loaded" | "missing" };

const EXPECTED = [
  // Blocked scripts, and pages that respond 500 and 503 on purpose.
  /^Failed to load resource: net::ERR_FAILED/,
  /^Failed to load resource: the server responded with a status of 50[03]/,
];

/** Checks every page in one edition. */
export function checkEveryPage(edition: Edition): void {
  // Sequential, because each needs its own server and browser.
  describe("without providers", () => checkPages(edition, STATES, createPageSetup));
  describe("with providers", () => checkPages(edition, EXTERNAL_STATES, createExternalSetup));
}

function checkPages<Place extends PageSetup>(
  { language, scripts }: Edition,
  states: readonly PageState<Place & Visit>[],
  openPlace: () => Promise<Place>,
): void {
  let setup: Place;

  beforeAll(async () => {
    setup = await openPlace();
  });
  afterAll(() => setup?.close());

  describe.each(states)("the page “$name”", (state) => {
    let visit: Place & Visit;

    beforeAll(async () => {
      visit = await openVisit(setup, { language, expected: EXPECTED });
      if (scripts === "missing") {
        await visit.anna.context.route(`${setup.installation.server.url}/assets/*.js`, (route) => route.abort());
      }
      await state.reach(visit);
    });
    afterAll(() => visit.anna.close());

    it("has its status and title", async () => {
      const { anna, user } = visit;
      const title = anna.t(state.title, { name: user.displayName, provider: "Google" });
      const prefix = state.problem ? `${anna.t("common.errorTitlePrefix")} ` : "";
      expect(anna.status()).toBe((scripts === "loaded" && state.scriptedStatus) || state.status);
      expect(await anna.page.title()).toBe(`${prefix}${title} | Gatehouse`);
    });

    it("is valid: one heading, labels, forms, ids, messages", async () => {
      expect(await findAnatomyFaults(visit.anna)).toEqual([]);
    });

    it("has no axe violation: light, dark, forced colours", async () => {
      expect(await findViolations(visit.anna.page)).toEqual([]);
    });

    it("is in one language", async () => {
      expect(await findForeignWords(visit.anna.page, language, namesIn(visit))).toEqual([]);
    });

    it("has a correct tab order with a visible focus", async () => {
      expect(await findFocusFaults(visit.anna.page)).toEqual([]);
    });

    it("has large targets and legible text", async () => {
      expect(await findSmallTargets(visit.anna.page)).toEqual([]);
      expect(await findSmallLetters(visit.anna.page)).toEqual([]);
    });

    it("breaks no word between two letters", async () => {
      expect(await findTornWords(visit.anna.page)).toEqual([]);
    });

    it("fits a tiny window, large letters and wide spacing", async () => {
      expect(await findOverflow(visit.anna.page)).toEqual([]);
    });

    it("has visible frames, borders in forced colours, and no animation with reduced motion", async () => {
      expect(await findFaintFrames(visit.anna.page)).toEqual([]);
      expect(await findShapeless(visit.anna.page)).toEqual([]);
      expect(await findMotion(visit.anna.page)).toEqual([]);
    });

    it("can be printed", async () => {
      expect(await findPrintFaults(visit.anna.page)).toEqual([]);
    });

    it("has a next step; an error page has a reference that is in the log", async () => {
      const main = visit.anna.page.getByRole("main");
      expect(await main.locator("a[href]:not([href^='#']), button:enabled").count()).toBeGreaterThan(0);
      if (!/^(serverError|oauthError)/.test(String(state.title))) return;
      const reference = await main.locator("code").textContent();
      expect(setup.installation.server.lines()).toContainEqual(
        expect.objectContaining({ requestId: reference, status: state.status }),
      );
    });

    it("requests nothing from other hosts", async () => {
      const { anna, installation, clientApp, own, plain, others } = visit;
      const urls = [installation.server.url, clientApp.url, own.url, plain.url, ...others];
      const known = urls.map((url) => new URL(url).origin);
      expect(anna.requests.filter((url) => !known.includes(new URL(url).origin))).toEqual([]);
    });
  });
}
