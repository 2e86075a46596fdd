import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageTitle } from "#app/ui/title.ts";
import { readPage } from "#tests/support/html.ts";
import { findRepetitions } from "#tests/support/page-texts.ts";
import { createExternalSetup } from "./external-setup.ts";
import type { BrowserUser } from "./installation.ts";
import { findLookFaults } from "./page-checks/colours.ts";
import { findFocusFaults } from "./page-checks/focus.ts";
import { findLayoutFaults } from "./page-checks/layout.ts";
import { findSettingsFaults } from "./page-checks/settings.ts";
import { findAnatomyFaults } from "./page-checks/structure.ts";
import { findForeignWords } from "./page-checks/wording.ts";
import { createPageSetup, createVisitor, namesIn, type PageSetup, type Visit } from "./page-setup.ts";
import type { PageState } from "./page-state.ts";
import { scriptsHaveRun } from "./pages.ts";
import { STATES } from "./states.ts";
import { otherHost } from "./states-error.ts";
import { EXTERNAL_STATES } from "./states-external.ts";

/** A language, with or without the page's scripts. */
type Edition = { language: "en" | "de"; scripts: "loaded" | "missing" };

const EXPECTED = [
  // Blocked scripts, and pages that respond 500 and 503 on purpose.
  /^Failed to load resource: net::ERR_BLOCKED_BY_CLIENT/,
  /^Failed to load resource: the server responded with a status of 50[03]/,
];

/** States to check: the first one with each title, the others, or all. */
type Choice = "first" | "others" | "all";

/** Checks every page in one edition. */
export function checkEveryPage(edition: Edition, choice: Choice = "all"): void {
  // Sequential, because each needs its own server and browser.
  describe("without providers", () => checkPages(edition, chooseStates(STATES, choice), createPageSetup));
  describe("with providers", () => checkPages(edition, chooseStates(EXTERNAL_STATES, choice), createExternalSetup));
}

function chooseStates<State extends PageState>(states: readonly State[], choice: Choice): readonly State[] {
  if (choice === "all") return states;
  const first = new Set(new Map(states.toReversed().map((state) => [state.title, state])).values());
  return states.filter((state) => first.has(state) === (choice === "first"));
}

/**
 * Checks each state in one test with soft assertions, so that a state is reached once for all checks. All states share
 * a browser, which keeps the compiled scripts, and lose its cookies and storage.
 */
function checkPages<Place extends PageSetup>(
  edition: Edition,
  states: readonly PageState<Place & Visit>[],
  openPlace: () => Promise<Place>,
): void {
  let setup: Place;
  let shared: BrowserUser;

  beforeAll(async () => {
    setup = await openPlace();
    shared = await openBrowser();
  });
  afterAll(async () => {
    await shared?.close();
    await setup?.close();
  });

  async function openBrowser(): Promise<BrowserUser> {
    const opened = await setup.installation.open({ language: edition.language, expected: EXPECTED });
    if (edition.scripts === "missing") {
      const session = await opened.context.newCDPSession(opened.page);
      await session.send("Network.enable");
      await session.send("Network.setBlockedURLs", { urls: [`${setup.installation.server.url}/assets/*.js`] });
    }
    return opened;
  }

  it.each(states)("the page “$name”", async (state) => {
    const anna = state.ownBrowser ? await openBrowser() : shared;
    await forget(anna);
    const visit = { ...setup, anna, user: await createVisitor(setup) };
    const before = { requests: anna.requests.length, problems: anna.problems.length };
    await state.reach(visit);
    // A style sheet or a script that arrives later would disturb the checks.
    await anna.page.waitForLoadState();
    if (edition.scripts === "loaded") await scriptsHaveRun(anna);
    await checkPage(edition, state, visit);
    expect.soft(anna.problems.slice(before.problems), "the browser reports no error").toEqual([]);
    expect.soft(listForeignHosts(visit, before.requests), "requests nothing from other hosts").toEqual([]);
    if (state.ownBrowser) await anna.close();
  });
}

async function checkPage<Place extends PageSetup>(
  { language, scripts }: Edition,
  state: PageState<Place & Visit>,
  visit: Place & Visit,
): Promise<void> {
  const { anna, user, installation } = visit;
  const { page } = anna;

  const values = { name: user.displayName, provider: "Google", address: installation.server.url };
  const title = state.title === null ? user.displayName : anna.t(state.title, values);
  const named = pageTitle(anna.t, title, state.problem);
  expect.soft(anna.status(), "status").toBe((scripts === "loaded" && state.scriptedStatus) || state.status);
  expect.soft(await page.title(), "title").toBe(named);
  expect.soft(await findAnatomyFaults(anna), "one heading, labels, forms, ids, messages").toEqual([]);
  expect.soft(await findForeignWords(page, language, namesIn(visit)), "only texts of the language").toEqual([]);

  const markup = readPage(await page.content());
  expect.soft(findRepetitions(markup), "says nothing twice").toEqual([]);

  const main = page.getByRole("main");
  // A page of the settings may have no more than its navigation.
  const steps = page.locator("main, .up, .side").locator("a[href]:not([href^='#']), button:enabled");
  expect.soft(await steps.count(), "links and buttons that lead on").toBeGreaterThan(0);
  if (/^(serverError|oauthError)/.test(String(state.title))) {
    const reference = await main.locator("code").textContent();
    const logged = expect.objectContaining({ requestId: reference, status: state.status });
    expect.soft(installation.server.lines(), "the reference is in the log").toContainEqual(logged);
  }

  expect.soft(await findFocusFaults(page), "tab order and visible focus").toEqual([]);

  const layout = await findLayoutFaults(page);
  expect.soft(layout.smallTargets, "large targets").toEqual([]);
  expect.soft(layout.smallLetters, "legible fields").toEqual([]);
  expect.soft(layout.tornWords, "words that break between two letters").toEqual([]);
  expect.soft(layout.overflow, "parts that do not fit").toEqual([]);
  expect.soft(layout.overlaps, "texts over each other").toEqual([]);

  // German words are the longest.
  const isSettings = (await page.locator(".site-header").count()) > 0;
  if (isSettings && language === "de") {
    expect.soft(await findSettingsFaults(page), "words, columns and edges of the settings").toEqual([]);
  }

  // Without custom elements and modules, a page has the same elements in both editions; only its words differ.
  const isLive = (await page.locator(":not(:defined), link[rel=modulepreload]").count()) > 0;
  if (scripts === "missing" && !isLive) return;

  // axe's colour rules take as long as its other rules together, and our own check of colours runs in both editions. All
  // other checks depend on the language, or on the elements that scripts add.
  const looks = await findLookFaults(page, scripts === "loaded" ? "all" : "without colours");
  expect.soft(looks.violations, "violations that axe finds").toEqual([]);
  expect.soft(looks.faintTexts, "faint texts").toEqual([]);
  expect.soft(looks.faintFrames, "faint frames").toEqual([]);
  expect.soft(looks.shapeless, "no shape in forced colours").toEqual([]);
  expect.soft(looks.motion, "motion with reduced motion").toEqual([]);
  expect.soft(looks.print, "printed page").toEqual([]);
}

/** Returns the requested URLs, from index `from` on, of hosts that are neither the product's nor an application's. */
function listForeignHosts(
  { anna, installation, clientApp, own, plain, others }: PageSetup & { anna: BrowserUser },
  from: number,
): string[] {
  const { url } = installation.server;
  const urls = [url, otherHost(url), clientApp.url, own.url, plain.url, ...others];
  const known = urls.map((url) => new URL(url).origin);
  return anna.requests.slice(from).filter((url) => !known.includes(new URL(url).origin));
}

/** Leaves the page and removes cookies, storage and routes. */
async function forget({ context, page }: BrowserUser): Promise<void> {
  if (page.url().startsWith("http")) {
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  }
  await page.unrouteAll();
  await page.goto("about:blank");
  await context.clearCookies();
}
