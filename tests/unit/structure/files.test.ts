import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, listFunctions, readSources, readText, type SourceFile } from "#tests/support/source-tree.ts";
import { isRouteModule } from "./modules.ts";

const MAX_ROUTE_LINES = 260;
const MAX_DOMAIN_LINES = 200;
const MAX_PATCH_LINES = 550;
const MAX_FUNCTION_LINES = 80;

/** Functions that consist of one long list. */
const LONG_LISTS: readonly { path: string; name: string }[] = [
  { path: "app/db/schema.server.ts", name: "defineSchema" },
];

/** File names that do not describe their content. */
const DRAWERS = /^(utils?|helpers?|misc|common|index|shared|stuff|lib)$/;

const product = readSources("main.ts", "app", "demo");

function longerThan(files: readonly SourceFile[], limit: number) {
  return files.filter(({ lines }) => lines > limit).map(({ path, lines }) => `${path}: ${lines} lines`);
}

function inModule(module: string) {
  return product.filter(({ path }) => path.startsWith(`app/${module}/`));
}

describe("files", () => {
  const sources = ["main.ts", "app", "demo", "scripts", "tests"].flatMap(listFiles);

  it("are named in kebab-case", () => {
    const isKebab = (path: string) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+$/.test(basename(path));
    expect(sources.filter((path) => !isKebab(path))).toEqual([]);
  });

  it("are named after what they do, never after a drawer", () => {
    const isDrawer = (path: string) => path.split("/").some((part) => DRAWERS.test(part.replace(/\..*$/, "")));
    expect(sources.filter(isDrawer)).toEqual([]);
  });

  it(`that are route modules have at most ${MAX_ROUTE_LINES} lines`, () => {
    const routeTable = readText("app/routes.ts");
    const modules = inModule("routes").filter(({ path }) => isRouteModule(path, routeTable));
    expect(longerThan(modules, MAX_ROUTE_LINES)).toEqual([]);
  });

  it(`that patch oidc-provider have at most ${MAX_PATCH_LINES} lines together`, () => {
    const patches = product.filter(({ path }) => path.startsWith("app/oidc/patches/"));
    expect(patches.reduce((sum, { lines }) => sum + lines, 0)).toBeLessThanOrEqual(MAX_PATCH_LINES);
  });

  it(`of a rule have at most ${MAX_DOMAIN_LINES} lines`, () => {
    expect(longerThan(inModule("domain"), MAX_DOMAIN_LINES)).toEqual([]);
  });
});

describe("functions", () => {
  it(`have at most ${MAX_FUNCTION_LINES} lines`, () => {
    const isList = (path: string, name: string) => LONG_LISTS.some((list) => list.path === path && list.name === name);
    const long = product.flatMap((file) =>
      listFunctions(file)
        .filter(({ name, lines }) => lines > MAX_FUNCTION_LINES && !isList(file.path, name))
        .map(({ name, line, lines }) => `${file.path}:${line} ${name}: ${lines} lines`),
    );
    expect(long).toEqual([]);
  });
});
