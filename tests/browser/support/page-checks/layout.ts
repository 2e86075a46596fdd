import type { Page } from "playwright";

const WIDE = { width: 1280, height: 720 };

/** 1280 x 1024 px at 400 % zoom (WCAG 2.2, 1.4.10). */
const TINY = { width: 320, height: 256 };

const SMALL = { width: 640, height: 512 };

/** WCAG 2.2, 1.4.12. */
const SPACED = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-block-end: 2em !important; }`;

/** Faults of a page's layout by check; those of a size begin with it. */
type LayoutFaults = {
  /** Controls below 44 px (buttons, fields) or 24 px (separate links). WCAG 2.2, 2.5.8. */
  smallTargets: string[];
  /** Fields with a font size below 16 px, which makes some browsers zoom in on focus. */
  smallLetters: string[];
  /** Words of at most 20 letters that wrap in the middle. */
  tornWords: string[];
  /** Parts that are cut off: in a tiny window, with doubled text size, and with WCAG's text spacing. */
  overflow: string[];
  /** Texts that are drawn over each other. */
  overlaps: string[];
};

/** Checks a page at each size once, for all checks; leaves the window wide. */
export async function findLayoutFaults(page: Page): Promise<LayoutFaults> {
  // Without its style sheet, a page has another layout.
  await page.waitForLoadState();
  const [smallTargets, smallLetters, tornWide, overlapsWide] = [
    await listSmallTargets(page),
    await listSmallLetters(page),
    await listTornWords(page),
    await listOverlaps(page),
  ];
  await page.setViewportSize(SMALL);
  const [tornSmall, overlapsSmall] = [await listTornWords(page), await listOverlaps(page)];
  const large = await withFontSize(page, 32, () => listCutParts(page));
  await page.setViewportSize(TINY);
  const [tiny, overlapsTiny] = [await listCutParts(page), await listOverlaps(page)];
  await setSpacing(page, SPACED);
  const spaced = await listCutParts(page);
  await setSpacing(page, "");
  await page.setViewportSize(WIDE);
  return {
    smallTargets,
    smallLetters,
    tornWords: [...tornWide.map((word) => `1280 px: ${word}`), ...tornSmall.map((word) => `640 px: ${word}`)],
    overflow: [
      ...tiny.map((part) => `320 x 256: ${part}`),
      ...spaced.map((part) => `with spacing: ${part}`),
      ...large.map((part) => `text at 200 %: ${part}`),
    ],
    overlaps: [
      ...overlapsWide.map((texts) => `1280 px: ${texts}`),
      ...overlapsSmall.map((texts) => `640 px: ${texts}`),
      ...overlapsTiny.map((texts) => `320 px: ${texts}`),
    ],
  };
}

function listTornWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const torn: string[] = [];
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      // Codes, keys and addresses may wrap anywhere; words with a soft hyphen may wrap there.
      const hidden = "code, samp, kbd, q, pre, script, style, template, .visually-hidden";
      if (!parent?.checkVisibility() || parent.closest(hidden)) continue;
      for (const chunk of (text.textContent ?? "").matchAll(/\S+/g)) {
        // Addresses may break anywhere, and compounds of more than 20 letters have to in narrow columns.
        if (/[@/:.]\S/.test(chunk[0])) continue;
        for (const { 0: word, index } of chunk[0].matchAll(
          /(?<![\p{L}\p{M}\u00ad])[\p{L}\p{M}]{2,20}(?![\p{L}\p{M}\u00ad])/gu,
        )) {
          const range = document.createRange();
          range.setStart(text, chunk.index + index);
          range.setEnd(text, chunk.index + index + word.length);
          const tops = [...range.getClientRects()].map(({ top }) => top);
          if (Math.max(...tops) - Math.min(...tops) > 8) {
            torn.push(`${word} in <${parent.localName} class="${parent.className}">`);
          }
        }
      }
    }
    return torn;
  });
}

function listOverlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isCutAway = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).clipPath !== "none" || isCutAway(element.parentElement));
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const boxes: { text: Node; left: number; right: number; top: number; bottom: number }[] = [];
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const parent = text.parentElement;
      const isShown = parent?.checkVisibility() && !isCutAway(parent) && !parent.closest(".skip");
      if (!isShown || !text.textContent?.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const { left, right, top, bottom, height } of range.getClientRects()) {
        // The boxes of neighbouring lines may touch: the letters fill the middle.
        boxes.push({ text, left: left + 1, right: right - 1, top: top + height / 3, bottom: bottom - height / 3 });
      }
    }
    return boxes.flatMap((a, place) =>
      boxes
        .slice(place + 1)
        .filter(
          (b) => a.text !== b.text && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom,
        )
        .map((b) => `${a.text.textContent?.trim()} | ${b.text.textContent?.trim()}`.slice(0, 80)),
    );
  });
}

function listSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isInSentence = (link: Element) =>
      link.matches("a") &&
      getComputedStyle(link).display === "inline" &&
      (link.parentElement?.textContent ?? "").trim() !== (link.textContent ?? "").trim();
    return [...document.querySelectorAll("a, button, input:not([type=hidden])")].flatMap((control) => {
      const { width, height } = control.getBoundingClientRect();
      const isHidden = width === 0 || control.matches(".skip");
      if (isHidden || isInSentence(control)) return [];
      const least = control.matches("button, input, .button") ? 44 : 24;
      return width < least || height < least ? [`${width} x ${height}: ${control.outerHTML.slice(0, 120)}`] : [];
    });
  });
}

function listSmallLetters(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("input:not([type=hidden])")].flatMap((input) => {
      const { fontSize } = getComputedStyle(input);
      return input.checkVisibility() && Number.parseFloat(fontSize) < 16 ? [`${input.id}: ${fontSize}`] : [];
    }),
  );
}

function listCutParts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const wide = scrollWidth > clientWidth ? [`scrolls sideways: ${scrollWidth} in ${clientWidth}`] : [];
    // Visually hidden elements for screen readers may be clipped.
    const isCutAway = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).clipPath !== "none" || isCutAway(element.parentElement));
    const cut = [...document.body.querySelectorAll("*")].flatMap((element) => {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      if (box.width <= 1 || isCutAway(element) || element.closest("svg")) return [];
      const sticksOut = box.right > clientWidth + 1 || box.left < -1;
      const isClipped = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
      // The value of a field may be longer than the field.
      return sticksOut || (isClipped && !element.matches("input")) ? [element.outerHTML.slice(0, 120)] : [];
    });
    return [...wide, ...cut];
  });
}

/** Applies a user style, which the page's CSP does not restrict. */
async function setSpacing(page: Page, rules: string) {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, rules);
}

async function withFontSize<T>(page: Page, pixels: number, look: () => Promise<T>): Promise<T> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard: pixels } });
  const isLarge = await page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
  if (isLarge !== `${pixels}px`) throw new Error(`the page does not follow the browser's font size: ${isLarge}`);
  const seen = await look();
  await session.send("Page.setFontSizes", { fontSizes: { standard: 16 } });
  await session.detach();
  return seen;
}
