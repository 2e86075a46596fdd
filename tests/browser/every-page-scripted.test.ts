import { describe } from "vitest";
import { lookAtEveryPage } from "./support/every-page.ts";

describe("in English, as its script leaves it", () => {
  lookAtEveryPage({ language: "en", scripts: "loaded" });
});
