import { expect } from "vitest";
import { describeJourney } from "./journey.ts";
import { startWebkit } from "./webkit.ts";

describeJourney({
  name: "WebKitGTK",
  start: startWebkit,
  async lookBack(webkit) {
    // Chromium's user agent contains "WebKit" too.
    expect(await webkit.evaluate("navigator.vendor")).toBe("Apple Computer, Inc.");
  },
});
