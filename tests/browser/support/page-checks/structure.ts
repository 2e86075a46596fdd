import type { BrowserUser } from "#tests/browser/support/installation.ts";

const SUMMARY = "[role=alert][tabindex='-1']";
/** The loading indicator of the settings while it is shown. */
const LOADING = "[role=status][data-busy]";

/** Checks the structure that all pages share and returns the faults. */
export async function findAnatomyFaults({ page, language }: Pick<BrowserUser, "page" | "language">): Promise<string[]> {
  await summaryHasFocus(page);
  await pageIsIdle(page);
  return page.evaluate(
    ([lang, summaryPlace, loadingPlace]) => {
      const faults: string[] = [];
      const check = (isRight: boolean, fault: string) => {
        if (!isRight) faults.push(fault);
      };
      const all = (selector: string) => [...document.querySelectorAll(selector)];
      const describe = (element: Element) => element.outerHTML.slice(0, 120);

      check(document.documentElement.lang === lang, `lang is ${document.documentElement.lang}`);
      check(all("h1").length === 1, `${all("h1").length} h1`);
      check(all("main").length === 1, `${all("main").length} main`);
      check(document.querySelector("body a")?.getAttribute("href") === "#main", "the first link does not skip to main");
      const viewport = document.querySelector("meta[name=viewport]")?.getAttribute("content") ?? "";
      check(!/user-scalable|maximum-scale/.test(viewport), `zoom is limited: ${viewport}`);

      const ids = all("[id]").map(({ id }) => id);
      check(new Set(ids).size === ids.length, `an id stands twice: ${ids}`);
      for (const element of all("[aria-describedby], [aria-controls], [aria-labelledby], label[for]")) {
        const named = ["aria-describedby", "aria-controls", "aria-labelledby", "for"].flatMap(
          (name) => element.getAttribute(name)?.split(" ") ?? [],
        );
        check(
          named.every((id) => ids.includes(id)),
          `names what is not there: ${describe(element)}`,
        );
      }
      for (const input of all("input:not([type=hidden])")) {
        const label = document.querySelector(`label[for="${input.id}"]`);
        check((label?.textContent ?? "").trim() !== "", `no label: ${describe(input)}`);
        check(!input.hasAttribute("placeholder"), `placeholder: ${describe(input)}`);
        // On pages of the administration, the browser would fill in the administrator's own data.
        const isOfOthers = location.pathname.startsWith("/manage/admin/");
        check(isOfOthers || input.getAttribute("autocomplete") !== "off", `autocomplete is off: ${describe(input)}`);
        check(!input.hasAttribute("onpaste"), `watches what is pasted: ${describe(input)}`);
      }
      // A form with GET, such as a filter, changes nothing.
      for (const form of all("form:not([method=get])")) {
        check(form.getAttribute("method") === "post", `does not post: ${describe(form)}`);
        const button = form.querySelector("button[type=submit]") ?? document.querySelector(`button[form="${form.id}"]`);
        check(button !== null, `cannot be sent: ${describe(form)}`);
        check(form.querySelector("input[name=_xsrf]") !== null, `is not protected: ${describe(form)}`);
        check(form.querySelector("form") === null, `holds a form: ${describe(form)}`);
      }
      check(
        all("[tabindex]").every((element) => Number(element.getAttribute("tabindex")) < 1),
        "a positive tabindex",
      );
      const messages = all("[role=alert], [role=status]").filter((place) => place.textContent !== "");
      check(messages.length < 2, "more than one message");
      check(document.querySelector(loadingPlace) === null, "it never ends loading");
      const summary = document.querySelector(summaryPlace);
      if (summary) {
        check(summary === document.querySelector("main > :first-child"), "the error summary is not first");
        check(summary === document.activeElement, "the error summary has no focus");
      }
      check(all("img:not([alt])").length === 0, "an image without words");
      return faults;
    },
    [language, SUMMARY, LOADING] as const,
  );
}

/** Waits for the settings to load their common data again after an error; if they never end, the check reports a fault. */
async function pageIsIdle(page: BrowserUser["page"]): Promise<void> {
  await page
    .locator(LOADING)
    .waitFor({ state: "detached", timeout: 5000 })
    .catch(() => undefined);
}

/** Waits for the browser to apply autofocus; if it never does, the check reports a fault. */
async function summaryHasFocus(page: BrowserUser["page"]): Promise<void> {
  if ((await page.locator(SUMMARY).count()) === 0) return;
  await page
    .locator(`${SUMMARY}:focus`)
    .waitFor({ timeout: 5000 })
    .catch(() => undefined);
}
