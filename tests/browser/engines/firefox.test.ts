import { expect } from "vitest";
import { startFirefox } from "./firefox.ts";
import { describeJourney } from "./journey.ts";

describeJourney({
  name: "Firefox",
  start: startFirefox,
  async lookBack(firefox, { url }) {
    expect(await firefox.problems(url), "errors of scripts, and what a page's own policy forbade").toEqual([]);
  },
});
