import { describe } from "vitest";
import { checkEveryPage } from "./support/every-page.ts";

describe("in German, when no script loads", () => {
  checkEveryPage({ language: "de", scripts: "missing" });
});
