import type { Page } from "playwright";

type Media = Parameters<Page["emulateMedia"]>[0];

/** Shows a page as a person with these wishes sees it, once all colours that pass over into others have arrived. */
export async function showWith(page: Page, media: Media): Promise<void> {
  await page.emulateMedia(media);
  await page.evaluate(async () => {
    // The change of colours begins with the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  });
}
