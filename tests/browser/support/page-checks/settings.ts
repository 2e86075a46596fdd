import type { Page } from "playwright";

/** A wide window, the same at 200 % zoom, a phone, and 400 % zoom. */
const WIDTHS = [1280, 640, 360, 320];

/** Least width of a row's label and value. */
const LEAST_CHARACTERS = 12;

/**
 * Checks the layout of a settings page at each width, with every word, however long: broken words, columns too narrow
 * to read, actions that do not end at the same edge, text below an event that does not start where the event's text
 * does, controls that touch the rule above them, and parts wider than the window. Leaves the window wide.
 */
export async function findSettingsFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of WIDTHS.toReversed()) {
    await page.setViewportSize({ width, height: 720 });
    const found = await page.evaluate(listFaults, LEAST_CHARACTERS);
    faults.push(...found.map((fault) => `${width} px: ${fault}`));
  }
  return faults;
}

/** Runs in the page. */
function listFaults(leastCharacters: number): string[] {
  const longestOwnWord = 25;
  const measure = document.createElement("canvas").getContext("2d");

  function characterWidth(element: Element): number {
    if (!measure) return 0;
    measure.font = getComputedStyle(element).font;
    return measure.measureText("0").width;
  }

  function listBrokenWords(): string[] {
    const broken: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      // Addresses and values of a URL may be longer than a line; so may words of names that users chose.
      if (!parent?.checkVisibility() || parent.closest(".part, q, code, script, style, .visually-hidden, .skip")) {
        continue;
      }
      for (const { 0: word, index } of (text.textContent ?? "").matchAll(/[\p{L}\p{M}\p{N}\u00ad]{2,}/gu)) {
        if (word.includes("\u00ad") || (word.length > longestOwnWord && parent.closest("[translate=no], .back"))) {
          continue;
        }
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = [...range.getClientRects()].map(({ top }) => top);
        if (Math.max(...tops) - Math.min(...tops) > 8) broken.push(`“${word}” is broken`);
      }
    }
    return broken;
  }

  const columns = [...document.querySelectorAll(".row > .label, .row > .value")].flatMap((column) => {
    const { width } = column.getBoundingClientRect();
    const least = leastCharacters * characterWidth(column);
    return width < least ? [`“${column.textContent}” has ${Math.round(width)} of ${Math.round(least)} px`] : [];
  });
  const edges = new Set(
    [...document.querySelectorAll(".row > .act, .section-head > .act")].map((action) =>
      Math.round(action.getBoundingClientRect().right),
    ),
  );
  // In wide sheets the value has a column of its own.
  const unaligned = [...document.querySelectorAll(".label:has(> time) + .value")].filter((value) => {
    const text = value.previousElementSibling?.querySelector("time + span")?.getBoundingClientRect();
    const first = value.firstElementChild?.getBoundingClientRect();
    return text && first && first.top >= text.bottom - 1 && Math.abs(first.left - text.left) > 1;
  });
  const rules = [...document.querySelectorAll(".section-head")].map((head) => head.getBoundingClientRect().bottom);
  const touching = [...document.querySelectorAll(".button, .input, .pick")].filter((control) => {
    const { top } = control.getBoundingClientRect();
    return rules.some((bottom) => top >= bottom - 1 && top - bottom < 4);
  });
  const { clientWidth, scrollWidth } = document.documentElement;
  return [
    ...listBrokenWords(),
    ...columns,
    ...unaligned.map(({ textContent }) => `“${textContent}” does not start below its event`),
    ...touching.map(({ textContent }) => `“${textContent}” touches a rule`),
    ...(edges.size > 1 ? [`actions end at ${[...edges].join(", ")} px`] : []),
    ...(scrollWidth > clientWidth ? [`scrolls sideways: ${scrollWidth} px`] : []),
  ];
}
