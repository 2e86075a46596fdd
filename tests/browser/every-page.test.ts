import { describe } from "vitest";
import { checkEveryPage } from "./support/every-page.ts";

describe("the first state of each page, in English, after its script has run", () => {
  checkEveryPage({ language: "en", scripts: "loaded" }, "first");
});
