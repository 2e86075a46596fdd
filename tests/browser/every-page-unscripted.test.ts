import { describe } from "vitest";
import { lookAtEveryPage } from "./support/every-page.ts";

describe("in German, when no script comes", () => {
  lookAtEveryPage({ language: "de", scripts: "missing" });
});
