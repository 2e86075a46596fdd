import { describe } from "vitest";
import { checkEveryPage } from "./support/every-page.ts";

describe("in English, as its script leaves it", () => {
  checkEveryPage({ language: "en", scripts: "loaded" });
});
