import { expect } from "vitest";
import { startFirefox } from "./firefox.ts";
import { describeJourney } from "./journey.ts";
import { describeLeaving } from "./leaving.ts";

describeJourney({
  name: "Firefox",
  start: startFirefox,
  async lookBack(firefox, { url }) {
    expect(await firefox.problems(url), "errors of scripts, and what a page's own policy forbade").toEqual([]);
  },
});

describeLeaving({
  name: "Firefox",
  start: startFirefox,
  // The message names the URI that redirected, not the scheme. A policy that forbids the redirect has another message.
  hasTried: async (firefox) => (await firefox.console()).some((line) => line.endsWith("due to an unknown protocol.")),
});
