import { createRequestHandler } from "@remix-run/express";
import type { ServerBuild } from "@remix-run/node";
import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { loadContext, type Scripts } from "./load-context.server.ts";

/** Made by the Remix compiler; in development a function that compiles what has changed. */
export type Build = ServerBuild | (() => Promise<ServerBuild>);

/** Everything that Remix answers: pages, forms and resource routes. */
export function pages(
  context: AppContext,
  { build, scripts }: { build: Build; scripts: Scripts },
  options: { isDevelopment: boolean },
): RequestHandler {
  const handle = createRequestHandler({
    build,
    mode: options.isDevelopment ? "development" : "production",
    getLoadContext: (request, response) => loadContext({ ...context, scripts }, request, response),
  });
  return (request, response, next) => {
    void handle(request, response, next);
  };
}
