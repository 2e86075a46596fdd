import type { ServerBuild } from "@remix-run/node";

/**
 * Builds of one page each, by the path that leads to it and to nothing else. Remix compares an address with every route,
 * and does so four times for a page and its rendering: with one route to compare with, a page costs a sixth less. Paths
 * that are not here (parameters, nested routes, other spellings) take the whole build.
 */
export function narrowBuilds(build: ServerBuild): ReadonlyMap<string, ServerBuild> {
  const routes = Object.values(build.routes).filter((route) => route !== undefined);
  const parents = new Set(routes.map(({ parentId }) => parentId));
  const alone = routes.filter(({ id, parentId }) => parentId === ROOT && !parents.has(id));
  return new Map(
    alone.flatMap(({ id, path }): [string, ServerBuild][] =>
      path && PLAIN.test(path) ? [[`/${path}`, onlyWith(build, id)]] : [],
    ),
  );
}

const ROOT = "root";

/** Neither a parameter nor a wildcard. */
const PLAIN = /^[\w/-]+$/;

function onlyWith(build: ServerBuild, id: string): ServerBuild {
  const pick = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name === ROOT || name === id));
  return { ...build, routes: pick(build.routes), assets: { ...build.assets, routes: pick(build.assets.routes) } };
}
