import type { CDPSession, Page } from "playwright";

/** An upper bound for the tab stops of a page. */
const MAX_STOPS = 40;

type Stop = {
  name: string;
  left: number;
  top: number;
  bottom: number;
  /** Right edge of the stop's column; null if the page has no column beside it. */
  columnRight: number | null;
  isInView: boolean;
  outlinePx: number;
  contrast: number;
};

/** Moves through the page with the Tab key and returns faults of focus order, visibility and ring. */
export async function findFocusFaults(page: Page): Promise<string[]> {
  const { stops, reachable } = await walkThrough(page);
  const faults = stops.flatMap(({ name, isInView, outlinePx, contrast }) => [
    ...(isInView ? [] : [`out of view: ${name}`]),
    ...(outlinePx >= 3 ? [] : [`no ring of 3 px: ${name}`]),
    ...(contrast >= 3 ? [] : [`ring is too faint, ${contrast.toFixed(2)} to 1: ${name}`]),
  ]);
  if (stops.length !== reachable) faults.push(`${stops.length} stops for ${reachable} controls`);
  return [...faults, ...findJumps(stops)];
}

/** Presses Tab until the focus leaves the page or returns to a former stop. */
async function walkThrough(page: Page): Promise<{ stops: Stop[]; reachable: number }> {
  // The browser sets an autofocus in the rendering step before the frame, and would set it in the middle of the walk.
  // Elements for browsers without scripts become visible, and so stops, at the end of a transition.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(done));
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
  const walk = await page.evaluateHandle(startWalk);
  const reachable = await walk.evaluate((started) => started.reachable);
  const session = await page.context().newCDPSession(page);
  const stops: Stop[] = [];
  try {
    for (let presses = reachable + 1; stops.length < MAX_STOPS; presses = 1) {
      await pressTab(session, presses);
      for (const stop of await walk.evaluate(({ seen }) => seen.splice(0))) {
        if (stop === null || stops.some(({ name }) => name === stop.name)) return { stops, reachable };
        stops.push(stop);
      }
    }
  } finally {
    await walk.evaluate(({ stop }) => stop());
    await session.detach();
  }
  throw new Error(`the Tab key does not return to the first element: ${stops.map(({ name }) => name)}`);
}

/** Sends all key presses at once, without waiting for each response. */
async function pressTab(session: CDPSession, times: number): Promise<void> {
  const key = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 };
  const sent = Array.from({ length: times }, () => [
    session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key }),
    session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key }),
  ]);
  await Promise.all(sent.flat());
}

type Walk = {
  /** The number of tab stops that the page should have. */
  reachable: number;
  /** The stops since the last look, null for none. */
  seen: (Stop | null)[];
  stop(): void;
};

/** Runs in the page: moves the focus to the top and records the focused element after each key press. */
function startWalk(): Walk {
  // Start at the top, regardless of autofocus.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");

  const seen: (Stop | null)[] = [];
  let last: Element | null = null;
  const record = () => {
    const element = document.activeElement;
    // The day, the month and the year of a date are stops within one control.
    if (element === last && element?.matches("input[type=date]")) return;
    last = element;
    seen.push(readStop());
  };
  addEventListener("keyup", record, true);
  const controls = document.querySelectorAll(
    "a[href], summary, select:enabled, button:enabled, input:not([type=hidden]):enabled",
  );
  const shown = [...controls].filter((one) => one.checkVisibility());
  // A radio group is one tab stop; the arrow keys move within it.
  const groups = shown.map((one) => (one instanceof HTMLInputElement && one.type === "radio" ? one.name : one));
  return { reachable: new Set(groups).size, seen, stop: () => removeEventListener("keyup", record, true) };

  /** The ring's contrast is measured against the background around the element. */
  function readStop(): Stop | null {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const named = ["aria-label", "href"].map((name) => element.getAttribute(name) ?? "");
    // The ring of a field that shares its frame with a button surrounds the frame.
    const framed = element.matches("input") ? (element.closest(".secret") ?? element) : element;
    // The ring of a link in a list surrounds the row.
    const style = getComputedStyle(framed, element.matches(".list a") ? "::after" : null);
    const [light = 0, dark = 0] = [luminance(style.outlineColor), luminance(groundOf(element.parentElement))].sort(
      (one, other) => other - one,
    );
    const { left, top, bottom } = element.getBoundingClientRect();
    return {
      name: [element.tagName, element.id, element.textContent, ...named].join(" ").trim(),
      ...{ left, top: top + scrollY, bottom: bottom + scrollY },
      columnRight: element.closest(".side, .beside form")?.getBoundingClientRect().right ?? null,
      isInView: top >= 0 && bottom <= innerHeight,
      outlinePx: style.outlineStyle === "none" ? 0 : Number.parseFloat(style.outlineWidth),
      contrast: (light + 0.05) / (dark + 0.05),
    };
  }

  function luminance(colour: string): number {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function groundOf(from: Element | null): string {
    if (!from) return "rgb(255, 255, 255)";
    const { backgroundColor } = getComputedStyle(from);
    return /^rgba\(.*, 0\)$/.test(backgroundColor) ? groundOf(from.parentElement) : backgroundColor;
  }
}

/** Returns stops that are not in reading order: down, to the right within a row, and then to the column beside. */
function findJumps(stops: readonly Stop[]): string[] {
  return stops.flatMap((stop, index) => {
    const before = stops[index - 1];
    if (!before || stop.top >= before.bottom - 1) return [];
    if (before.columnRight !== null && stop.left >= before.columnRight) return [];
    const isSameRow = stop.bottom > before.top;
    return isSameRow && stop.left >= before.left ? [] : [`from ${before.name} back to ${stop.name}`];
  });
}
