import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { PUBLISHED_PATHS } from "./engine-paths.server.ts";
import { HEALTH_PATHS } from "./health.server.ts";
import type { Build } from "./remix.server.ts";

/** Finds the pattern, such as /login/:provider, that a path belongs to; "other" for a path that is nobody's. */
export type PatternOf = (path: string) => string;

const OTHER = "other";

/** What is not compiled has no list of routes. */
const DEVELOPMENT: PatternOf = () => OTHER;

/** The engine adds the name of what is under way to these paths, and files have names of their own. */
const PREFIXES: readonly (readonly [prefix: string, pattern: string])[] = [
  [`${ENGINE_ROUTES.end_session}/`, `${ENGINE_ROUTES.end_session}/*`],
  [`${ENGINE_ROUTES.authorization}/`, `${ENGINE_ROUTES.authorization}/:uid`],
  ["/assets/", "/assets/*"],
];

/** Makes what finds the patterns of this build's pages, and of all that the edge and the engine answer. */
export function createPatternOf(build: Build): PatternOf {
  if (typeof build === "function") return DEVELOPMENT;
  const patterns = pagePatterns(build.routes);
  const own = [...HEALTH_PATHS, ...PUBLISHED_PATHS, ...Object.values(ENGINE_ROUTES)];
  const plain = new Set([...own, ...patterns.filter((pattern) => !/[:*]/.test(pattern))]);
  // Longer ones first, and what is spelled out before what is open: as Remix ranks them.
  const open = patterns.filter((pattern) => /[:*]/.test(pattern)).map((pattern) => pattern.split("/"));
  open.sort((one, other) => rank(other) - rank(one));
  return (path) => {
    const asked = path.toLowerCase().replace(/(?<=[^/])\/$/, "");
    if (plain.has(asked)) return asked;
    const prefixed = PREFIXES.find(([prefix]) => asked.startsWith(prefix));
    if (prefixed) return prefixed[1];
    const parts = asked.split("/");
    return open.find((pattern) => fits(parts, pattern))?.join("/") ?? OTHER;
  };
}

type Routes = Exclude<Build, () => unknown>["routes"];

/** Every page's whole path, but the one of what is nowhere. */
function pagePatterns(routes: Routes): string[] {
  const wholePath = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    if (!route) return "";
    const above = wholePath(route.parentId);
    return route.path ? `${above}/${route.path}` : above;
  };
  const patterns = Object.keys(routes).map((id) => wholePath(id) || "/");
  return [...new Set(patterns)].filter((pattern) => pattern !== "/*");
}

/** Higher for what says more: a part that is spelled out, then a parameter, then the rest of a path. */
function rank(pattern: readonly string[]): number {
  return pattern.reduce((sum, part) => sum + (part === "*" ? -5 : part.startsWith(":") ? 3 : 10), 0);
}

function fits(parts: readonly string[], pattern: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === "*";
  if (isOpenEnded ? parts.length < pattern.length : parts.length !== pattern.length) return false;
  return pattern.every((part, at) => part === "*" || part.startsWith(":") || part === parts[at]);
}
