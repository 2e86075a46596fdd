import { expect } from "vitest";
import { describeJourney } from "./journey.ts";
import { describeLeaving } from "./leaving.ts";
import { startWebkit } from "./webkit.ts";

describeJourney({
  name: "WebKitGTK",
  start: startWebkit,
  async lookBack(webkit) {
    // Chromium's user agent contains "WebKit" too.
    expect(await webkit.evaluate("navigator.vendor")).toBe("Apple Computer, Inc.");
  },
});

describeLeaving({
  name: "WebKitGTK",
  start: startWebkit,
  // The address of the error page is the URI that WebKit cannot open.
  hasTried: async (webkit, scheme) => (await webkit.address()).startsWith(`${scheme}/callback?code=`),
});
