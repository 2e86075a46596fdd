import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { FAULTS } from "#tests/mutation/faults.mjs";
import { lineOf, listFiles, ROOT, readSources, readText, walk } from "#tests/support/source-tree.ts";

const MAX_README_LINES = 120;

/** Text files, as opposed to images and fonts. */
const TEXT = /\.(ts|tsx|mts|mjs|js|json|md|css|sql|html|svg|txt|yml|yaml|toml)$|(^|\/)(\.\w+|run)$/;

/** This file contains the forbidden words as patterns. */
const SELF = "tests/unit/structure/repository.test.ts";

const texts = listFiles()
  .filter((path) => TEXT.test(path) && path !== SELF)
  .map((path) => ({ path, text: readText(path) }));

const testFiles = readSources("tests").filter(({ path }) => /\.test\.tsx?$/.test(path));

/** Returns the matches of a pattern, formatted for a failure message. */
function search(pattern: RegExp, files: readonly { path: string; text: string }[]) {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${path}:${index + 1} ${found}`];
    }),
  );
}

/** Returns the checkout and the home directory, without single names like /app, which occur in many texts. */
function placesOfThisMachine() {
  const places = [ROOT, homedir()].map((folder) => folder.replace(/\/+$/, ""));
  return places.filter((folder) => folder === "/root" || /^\/[^/]+\/./.test(folder));
}

describe("the repository", () => {
  it("names no folder of anybody's machine", () => {
    const own = placesOfThisMachine().map((folder) => folder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const places = [...own, "/home/\\w+", "/Users/\\w+", "[A-Z]:\\\\Users"].join("|");
    expect(search(new RegExp(`(?<![\\w.~-])(${places})(?=[/"'\\s\`]|$)`), texts)).toEqual([]);
  });

  it("contains no registry host, so that every machine uses its own registry", () => {
    const registry = process.env.npm_config_registry;
    const own = registry === undefined ? [] : [new URL(registry).host.replaceAll(".", "\\.")];
    const hosts = ["registry\\.npmjs", "registry\\.yarnpkg", ...own].map((host) => `\\b${host}\\b`).join("|");
    expect(search(new RegExp(hosts), texts)).toEqual([]);
    expect(
      search(
        /"resolved":.*/,
        texts.filter(({ path }) => path === "package-lock.json"),
      ),
    ).toEqual([]);
  });

  it("contains the checksum of every package", () => {
    const lock: { packages: Record<string, { integrity?: string; link?: boolean }> } = JSON.parse(
      readText("package-lock.json"),
    );
    const unchecked = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== "" && !integrity);
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  it("has a README that names the two commands and stays short", () => {
    const readme = readText("README.md");
    expect(readme).toContain("npm run demo");
    expect(readme).toContain("npm test");
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it.each(["README.md", "CONTRIBUTING.md", "docs/map.md"])(
    "has a %s that names files and npm scripts that exist",
    (document) => {
      const text = readText(document);
      const paths = [...text.matchAll(/`((?:app|demo|deploy|docs|drizzle|locales|scripts|tests)\/[^`\s]*|main\.ts)`/g)];
      const missing = paths
        .map(([, path = ""]) => path)
        .filter((path) => !/[<{*]/.test(path) && !existsSync(join(ROOT, path)));
      expect(missing).toEqual([]);
      const { scripts }: { scripts: Record<string, string> } = JSON.parse(readText("package.json"));
      const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
      expect(commands.filter((name) => !(name in scripts))).toEqual([]);
    },
  );

  it("has a .ci/run that anybody can start and that runs all tests", () => {
    expect(() => accessSync(join(ROOT, ".ci/run"), constants.X_OK)).not.toThrow();
    expect(readText(".ci/run")).toMatch(/^exec npm test -- --with-long$/m);
  });
});

describe("the tests", () => {
  it.each(FAULTS)("can be checked with the fault in $file: $fault", ({ file, search }) => {
    expect(readText(file).split(search)).toHaveLength(2);
  });

  it("all expect something", () => {
    expect(
      testFiles.filter(({ text }) => !/\bexpect\b[.(]|\bcheckEveryPage\(/.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });

  it("are all run: none is skipped, postponed or alone", () => {
    const found: string[] = [];
    for (const file of testFiles) {
      walk(file.tree, (node) => {
        if (!ts.isPropertyAccessExpression(node)) return;
        const call = node.getText(file.tree);
        if (/^(it|test|describe|suite)(\.\w+)*\.(skip|only|todo|skipIf|runIf|fails)$/.test(call)) {
          found.push(`${file.path}:${lineOf(file, node)} ${call}`);
        }
      });
    }
    expect(found).toEqual([]);
  });
});
