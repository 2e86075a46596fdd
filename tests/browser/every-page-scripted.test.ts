import { describe } from "vitest";
import { checkEveryPage } from "./support/every-page.ts";

describe("the other states of each page, in English, after its script has run", () => {
  checkEveryPage({ language: "en", scripts: "loaded" }, "others");
});
