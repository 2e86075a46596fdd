import type { Page } from "playwright";

type Media = Parameters<Page["emulateMedia"]>[0];

/**
 * Shows a page as a person with these wishes sees it, and who wants nothing to move: colours change at once. What passes
 * over into other colours all the same is waited for.
 */
export async function showWith(page: Page, media: Media): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce", ...media });
  await page.evaluate(async () => {
    // The change of colours begins with the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
}

/** Takes back every wish. */
export async function showAsBefore(page: Page): Promise<void> {
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: null });
}
