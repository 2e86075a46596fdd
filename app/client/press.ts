let isPressed = false;
let waiting: (() => void)[] = [];

addEventListener(
  "pointerdown",
  ({ button }) => {
    // A context menu can take the release of the other buttons.
    isPressed = button === 0;
  },
  { capture: true },
);
for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, { capture: true });

/**
 * Resolves when the user is not pressing anything. Browsers drop a click whose target moves between press and release,
 * so a change of the layout that can happen at any time waits for this.
 */
export function pressEnded(): Promise<void> {
  return new Promise((resolve) => {
    if (isPressed) waiting.push(resolve);
    else resolve();
  });
}

function release(): void {
  // The click follows the release.
  setTimeout(() => {
    isPressed = false;
    for (const resolve of waiting) resolve();
    waiting = [];
  });
}
