import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, ROOT, readText } from "#tests/support/source-tree.ts";
import { generateDecisionIndex } from "../../../scripts/generate-decision-index.ts";

const PICTURE = "docs/images/gatehouse.png";
const MAX_PICTURE_BYTES = 200_000;

/** The rows of "Where things are" that a newcomer looks for; docs/map.md contains the others. */
const MAX_README_ROWS = 15;

type Package = { engines: { node: string }; devDependencies: Record<string, string> };

const documents = listFiles().filter((path) => path.endsWith(".md"));

describe("the documents", () => {
  it("link to files that exist", () => {
    const links = documents.flatMap((document) =>
      [...readText(document).matchAll(/\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g)].map(([, link = ""]) => ({ document, link })),
    );
    expect(links.filter(({ document, link }) => !existsSync(join(ROOT, dirname(document), link)))).toEqual([]);
  });

  it("have an index of all decision records that is up to date", async () => {
    expect(await generateDecisionIndex(ROOT, { check: true })).toEqual([]);
    const index = readText("docs/decisions/README.md");
    const records = listFiles("docs/decisions").map((path) => path.slice("docs/decisions/".length));
    expect(records.filter((name) => name !== "README.md" && !index.includes(`](${name}) `))).toEqual([]);
  });
});

describe("README.md", () => {
  it("shows a small picture of the pages, which CONTRIBUTING.md describes how to make", () => {
    expect(readText("README.md")).toContain(`](${PICTURE})`);
    expect(statSync(join(ROOT, PICTURE)).size).toBeLessThan(MAX_PICTURE_BYTES);
    expect(readText("CONTRIBUTING.md")).toContain("node scripts/readme-picture.mjs");
    expect(readText("scripts/readme-picture.mjs")).toContain(`"${PICTURE}"`);
  });

  it(`lists at most ${MAX_README_ROWS} features, none of which docs/map.md repeats`, () => {
    const [, ...features] = featuresOf("README.md");
    expect(features.length).toBeLessThanOrEqual(MAX_README_ROWS);
    const others = featuresOf("docs/map.md");
    expect(features.filter((feature) => others.includes(feature))).toEqual([]);
  });
});

describe("the version of Node", () => {
  const { engines, devDependencies }: Package = JSON.parse(readText("package.json"));

  it("that development uses is the same in .nvmrc and in the development container", () => {
    const { image }: { image: string } = JSON.parse(readText(".devcontainer/devcontainer.json"));
    expect(image.split(":").at(-1)).toBe(readText(".nvmrc").trim());
  });

  it("whose types are checked is the oldest one that the program supports", () => {
    expect(engines.node).toBe(`>=${devDependencies["@types/node"]?.split(".")[0]}`);
  });
});

/** Returns the first cells of the tables of a document, beginning with the head of each. */
function featuresOf(document: string): string[] {
  return [...readText(document).matchAll(/^\| ([^|]+) \|/gm)].map(([, feature = ""]) => feature);
}
