import { describe } from "vitest";
import { checkEveryPage } from "./support/every-page.ts";

describe("in English, after its script has run", () => {
  checkEveryPage({ language: "en", scripts: "loaded" });
});
