import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { PUBLISHED_PATHS } from "./engine-paths.server.ts";
import { HEALTH_PATHS } from "./health.server.ts";
import type { Build } from "./remix.server.ts";

/**
 * Returns the route pattern of a path, such as /login/:provider; "other" for unknown paths. Remix requests the data of
 * a page with the suffix ".data", which counts as the page.
 */
export type PatternOf = (path: string) => string;

const OTHER = "other";

/** The development build has no list of routes. */
const DEVELOPMENT: PatternOf = () => OTHER;

/** Paths that continue with an id or a file name. */
const PREFIXES: readonly (readonly [prefix: string, pattern: string])[] = [
  [`${ENGINE_ROUTES.end_session}/`, `${ENGINE_ROUTES.end_session}/*`],
  [`${ENGINE_ROUTES.authorization}/`, `${ENGINE_ROUTES.authorization}/:uid`],
  ["/assets/", "/assets/*"],
];

/** Creates the function for the routes of this build, the middleware and oidc-provider. */
export function createPatternOf(build: Build): PatternOf {
  if (typeof build === "function") return DEVELOPMENT;
  const patterns = pagePatterns(build.routes);
  const own = [...HEALTH_PATHS, ...PUBLISHED_PATHS, ...Object.values(ENGINE_ROUTES)];
  const staticPatterns = new Set([...own, ...patterns.filter((pattern) => !/[:*]/.test(pattern))]);
  // Longer and more specific patterns first, as Remix ranks them.
  const dynamicPatterns = patterns.filter((pattern) => /[:*]/.test(pattern)).map((pattern) => pattern.split("/"));
  dynamicPatterns.sort((one, other) => rank(other) - rank(one));
  return (path) => {
    const normalizedPath = path
      .toLowerCase()
      .replace(/\.data$/, "")
      .replace(/(?<=[^/])\/$/, "");
    if (staticPatterns.has(normalizedPath)) return normalizedPath;
    const prefixed = PREFIXES.find(([prefix]) => normalizedPath.startsWith(prefix));
    if (prefixed) return prefixed[1];
    const segments = normalizedPath.split("/");
    return dynamicPatterns.find((pattern) => matchesPattern(segments, pattern))?.join("/") ?? OTHER;
  };
}

type Routes = Exclude<Build, () => unknown>["routes"];

/** Returns the full path of every route except the catch-all. */
function pagePatterns(routes: Routes): string[] {
  const wholePath = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    if (!route) return "";
    const parentPath = wholePath(route.parentId);
    return route.path ? `${parentPath}/${route.path}` : parentPath;
  };
  const patterns = Object.keys(routes).map((id) => wholePath(id) || "/");
  return [...new Set(patterns)].filter((pattern) => pattern !== "/*");
}

/** Ranks static segments above parameters, and parameters above a splat. */
function rank(pattern: readonly string[]): number {
  return pattern.reduce((sum, segment) => sum + (segment === "*" ? -5 : segment.startsWith(":") ? 3 : 10), 0);
}

function matchesPattern(segments: readonly string[], pattern: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === "*";
  if (isOpenEnded ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((segment, at) => segment === "*" || segment.startsWith(":") || segment === segments[at]);
}
