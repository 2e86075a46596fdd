import { builtinModules } from "node:module";
import { describe, expect, it } from "vitest";
import { type Import, readSources, readText, type SourceFile } from "#tests/support/source-tree.ts";
import { type Allowed, allowedImports, BROWSER_MODULES, isRouteModule, moduleOf, OWNED_PACKAGES } from "./modules.ts";

/** Type declarations of other packages (`.d.ts`) import nothing at run time. */
const files = readSources("main.ts", "app", "demo").filter(({ path }) => !path.endsWith(".d.ts"));
const byPath = new Map(files.map((file) => [file.path, file]));

/** Formats an import for a failure message. */
function describeImport(file: SourceFile, { line, specifier }: Import) {
  return `${file.path}:${line} imports ${specifier}`;
}

/** Returns the imports that exist at run time. */
function runTime(file: SourceFile) {
  return file.imports.filter(({ typeOnly }) => !typeOnly);
}

function everyImport(isWrong: (file: SourceFile, one: Import) => boolean) {
  return files.flatMap((file) =>
    file.imports.filter((one) => isWrong(file, one)).map((one) => describeImport(file, one)),
  );
}

describe("the direction of imports", () => {
  it("every file belongs to a module", () => {
    const unknown = files.filter(({ path }) => allowedImports(moduleOf(path) ?? "") === null);
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it("a module imports only the modules that it may, type imports included", () => {
    expect(everyImport((file, one) => isForbidden(file.path, one.target))).toEqual([]);
  });

  it("every imported file exists", () => {
    expect(
      everyImport((_file, { target }) => target !== null && /\.tsx?$/.test(target) && !byPath.has(target)),
    ).toEqual([]);
  });

  it("an import names its file by #, or by ./ in its own folder", () => {
    const isFar = (specifier: string) => specifier.startsWith("../") || /^\.\/.*\//.test(specifier);
    expect(everyImport((_file, { specifier }) => isFar(specifier))).toEqual([]);
  });

  it("no file imports itself through other files, type imports included", () => {
    expect(findCycles()).toEqual([]);
  });

  it("a route imports files of its own folder and the folders above it, of no other route", () => {
    expect(everyImport(({ path }, { target }) => isOfAnotherRoute(path, target))).toEqual([]);
  });

  for (const { packages, modules, what } of OWNED_PACKAGES) {
    it(`${what} is imported by ${modules.join(" and ")} only`, () => {
      expect(
        everyImport((file, one) => packages.test(one.specifier) && !modules.includes(moduleOf(file.path) ?? "")),
      ).toEqual([]);
    });
  }
});

describe("what reaches the browser", () => {
  const sent = reachedFromBrowser();

  it("imports nothing that is for the server only", () => {
    expect(findIn(sent, ({ target, specifier }) => /\.server(\.|$)/.test(target ?? specifier))).toEqual([]);
  });

  it("imports nothing of Node", () => {
    expect(
      findIn(sent, ({ specifier }) => specifier.startsWith("node:") || builtinModules.includes(specifier)),
    ).toEqual([]);
  });
});

describe("packages", () => {
  const {
    dependencies,
    devDependencies,
  }: Record<string, Record<string, string>> = JSON.parse(readText("package.json"));

  it("the product imports installed packages only, and at run time none that is there for development", () => {
    expect(
      everyImport((file, one) => {
        const name = packageName(one);
        if (name === null || name in (dependencies ?? {})) return false;
        return !(name in (devDependencies ?? {}) && (one.typeOnly || file.path === "app/routes.ts"));
      }),
    ).toEqual([]);
  });

  it("versions are exact, so that every clone is the same", () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

function isForbidden(from: string, target: string | null) {
  if (target === null) return false;
  const module = moduleOf(from);
  const targetModule = moduleOf(target);
  if (module === targetModule) return false;
  return !(allowedImports(module ?? "") ?? []).some((allowed) => allows(allowed, target, targetModule));
}

function allows(allowed: Allowed, target: string, targetModule: string | null) {
  if (typeof allowed === "string") return allowed === targetModule;
  return allowed.module === targetModule && allowed.files.test(target);
}

function isOfAnotherRoute(path: string, target: string | null) {
  if (!target?.startsWith("app/routes/")) return false;
  return !path.startsWith(`${target.slice(0, target.lastIndexOf("/"))}/`);
}

/** Returns strongly connected components of the import graph (Tarjan), without dynamic imports. */
function findCycles() {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[] = [];

  function visit(path: string) {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    stack.push(path);
    for (const next of neighbours(path)) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) cycles.push(group.sort().join(" <-> "));
  }

  for (const { path } of files) if (!order.has(path)) visit(path);
  return cycles;
}

function neighbours(path: string) {
  const file = byPath.get(path);
  if (file === undefined) return [];
  return file.imports
    .filter(({ dynamic }) => !dynamic)
    .flatMap(({ target }) => (target !== null && byPath.has(target) ? [target] : []));
}

/** Returns the browser entry points and everything they import, up to `.server` files. */
function reachedFromBrowser() {
  const routeTable = readText("app/routes.ts");
  const starts = files.filter(
    ({ path }) =>
      path === "app/entry.client.tsx" ||
      (BROWSER_MODULES.includes(moduleOf(path) ?? "") && !isRouteModule(path, routeTable)),
  );
  const reached = new Set<SourceFile>();
  const queue = starts.filter(({ path }) => !path.includes(".server."));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const next = runTime(file).flatMap(({ target }) => byPath.get(target ?? "") ?? []);
    queue.push(...next.filter(({ path }) => !path.includes(".server.")));
  }
  return [...reached];
}

function findIn(some: readonly SourceFile[], isWrong: (one: Import) => boolean) {
  return some
    .flatMap((file) =>
      runTime(file)
        .filter(isWrong)
        .map((one) => describeImport(file, one)),
    )
    .sort();
}

/** Returns the imported package; null for project files and Node's modules. */
function packageName({ specifier }: Import) {
  if (/^[.#/]/.test(specifier) || specifier.startsWith("node:") || specifier.startsWith("virtual:")) return null;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
