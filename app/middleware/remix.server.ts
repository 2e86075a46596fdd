import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { BrandFiles } from "#app/http/brand-files.server.ts";
import { loadContext } from "./create-load-context.server.ts";
import { guardRoutes } from "./guarded-routes.server.ts";
import type { StoredRequests } from "./stored-requests.server.ts";

const ROOT = "root";

/** Matches paths without parameter and wildcard. */
const PLAIN = /^[\w/-]+$/;

/** Output of the Remix compiler; in development a function that recompiles on changes. */
export type Build = ServerBuild | (() => Promise<ServerBuild>);

function guardedBuild(build: Build): Build {
  return typeof build === "function" ? async () => guardRoutes(await build()) : guardRoutes(build);
}

/** Creates the Remix handler for pages, forms and resource routes. */
export function pages(
  context: AppContext,
  {
    build: built,
    scriptUrl,
    brand,
    stored,
  }: { build: Build; scriptUrl: string; brand: BrandFiles; stored: StoredRequests },
  options: { isDevelopment: boolean },
): RequestHandler {
  const build = guardedBuild(built);
  const contextOfPages = { ...context, scriptUrl, brand };
  const handlerOf = (pages: Build) =>
    createRequestHandler({
      build: pages,
      mode: options.isDevelopment ? "development" : "production",
      getLoadContext: (request, response) => loadContext(contextOfPages, stored, { request, response }),
    });
  const handleAny = handlerOf(build);
  const narrow = new Map([...narrowBuilds(build)].map(([path, page]) => [path, handlerOf(page)]));
  return (request, response, next) => {
    const handle = narrow.get(request.path) ?? handleAny;
    void handle(request, response, next);
  };
}

/**
 * Returns builds with one page each, by path. Remix matches a URL against every route, four times per page; with a
 * single route, a page takes a sixth less time. Other paths (parameters, nested routes, other spellings) use the full
 * build. Not used in development.
 */
function narrowBuilds(build: Build): ReadonlyMap<string, ServerBuild> {
  if (typeof build === "function") return new Map();
  const routes = Object.values(build.routes).filter((route) => route !== undefined);
  const parents = new Set(routes.map(({ parentId }) => parentId));
  const pageRoutes = routes.filter(({ id, parentId }) => parentId === ROOT && !parents.has(id));
  return new Map(
    pageRoutes.flatMap(({ id, path }): [string, ServerBuild][] =>
      path && PLAIN.test(path) ? [[`/${path}`, onlyWith(build, id)]] : [],
    ),
  );
}

function onlyWith(build: ServerBuild, id: string): ServerBuild {
  const pick = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name === ROOT || name === id));
  return { ...build, routes: pick(build.routes), assets: { ...build.assets, routes: pick(build.assets.routes) } };
}
