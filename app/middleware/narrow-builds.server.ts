import type { ServerBuild } from "@remix-run/node";

/**
 * Returns builds with one page each, by path. Remix matches a URL against every route, four times per page; with a
 * single route, a page takes a sixth less time. Other paths (parameters, nested routes, other spellings) use the full
 * build.
 */
export function narrowBuilds(build: ServerBuild): ReadonlyMap<string, ServerBuild> {
  const routes = Object.values(build.routes).filter((route) => route !== undefined);
  const parents = new Set(routes.map(({ parentId }) => parentId));
  const pageRoutes = routes.filter(({ id, parentId }) => parentId === ROOT && !parents.has(id));
  return new Map(
    pageRoutes.flatMap(({ id, path }): [string, ServerBuild][] =>
      path && PLAIN.test(path) ? [[`/${path}`, onlyWith(build, id)]] : [],
    ),
  );
}

const ROOT = "root";

/** Matches paths without parameter and wildcard. */
const PLAIN = /^[\w/-]+$/;

function onlyWith(build: ServerBuild, id: string): ServerBuild {
  const pick = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name === ROOT || name === id));
  return { ...build, routes: pick(build.routes), assets: { ...build.assets, routes: pick(build.assets.routes) } };
}
