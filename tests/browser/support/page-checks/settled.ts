import type { Page } from "playwright";

type Media = Parameters<Page["emulateMedia"]>[0];

/** Emulates these media features with reduced motion and waits for colour transitions to finish. */
export async function showWith(page: Page, media: Media): Promise<void> {
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: "reduce", ...media });
  await page.evaluate(async () => {
    // getAnimations updates the styles, which starts the transitions.
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
}

/** Resets the emulated media features. */
export async function showAsBefore(page: Page): Promise<void> {
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: null });
}
