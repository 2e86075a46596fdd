import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { OpenInteractions } from "./interaction-limit.server.ts";
import { withErrorResponses } from "./json-errors.server.ts";
import { loadContext } from "./load-context.server.ts";
import { narrowBuilds } from "./narrow-builds.server.ts";

/** Output of the Remix compiler; in development a function that recompiles on changes. */
export type Build = ServerBuild | (() => Promise<ServerBuild>);

/** Narrow builds are not used in development. */
function narrowOf(build: Build): ReadonlyMap<string, ServerBuild> {
  return typeof build === "function" ? new Map() : narrowBuilds(build);
}

function buildWithErrorResponses(build: Build): Build {
  return typeof build === "function" ? async () => withErrorResponses(await build()) : withErrorResponses(build);
}

/** Creates the Remix handler for pages, forms and resource routes. */
export function pages(
  context: AppContext,
  { build: built, scriptUrl, open }: { build: Build; scriptUrl: string; open: OpenInteractions },
  options: { isDevelopment: boolean },
): RequestHandler {
  const build = buildWithErrorResponses(built);
  const contextWithScripts = { ...context, scriptUrl };
  const handlerOf = (pages: Build) =>
    createRequestHandler({
      build: pages,
      mode: options.isDevelopment ? "development" : "production",
      getLoadContext: (request, response) => loadContext(contextWithScripts, open, { request, response }),
    });
  const handleAny = handlerOf(build);
  const narrow = new Map([...narrowOf(build)].map(([path, page]) => [path, handlerOf(page)]));
  return (request, response, next) => {
    const handle = narrow.get(request.path) ?? handleAny;
    void handle(request, response, next);
  };
}
