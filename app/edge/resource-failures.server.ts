import type { ActionFunction, AppLoadContext, LoaderFunction, ServerBuild } from "@remix-run/node";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { isJson } from "#app/http/json-call.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { isApiPath } from "./engine-paths.server.ts";

/**
 * A build in which a defect of a route that has no page is answered as the others are: JSON for a program, a page for a
 * browser. Remix by itself answers such a route with a line of plain text, which neither understands.
 */
export function withAnsweredFailures(build: ServerBuild): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => [
    id,
    route && !route.module.default ? { ...route, module: answering(route.module) } : route,
  ]);
  return { ...build, routes: Object.fromEntries(routes) };
}

type RouteModule = NonNullable<ServerBuild["routes"][string]>["module"];

function answering(module: RouteModule): RouteModule {
  const { loader, action } = module;
  return { ...module, ...(loader && { loader: guarded(loader) }), ...(action && { action: guarded(action) }) };
}

function guarded<Work extends LoaderFunction | ActionFunction>(work: Work) {
  return async (args: Parameters<Work>[0]) => {
    try {
      return await work(args);
    } catch (error) {
      if (error instanceof Response) throw error;
      throw failureAnswer(args, error);
    }
  };
}

function failureAnswer({ request, context }: { request: Request; context: AppLoadContext }, error: unknown): Response {
  const { log, requestId, config } = context;
  const { pathname: path } = new URL(request.url);
  logError(log, error, { requestId, path });
  // A call without a payload need not have a content type, but a call of the second-factor step has this header.
  const isCall = isApiPath(path) || isJson(request) || request.headers.has("x-xsrf-token");
  if (isCall) return Response.json({ error: "internal" }, { status: 500 });
  const body = fallbackPage({ status: 500, code: "internal", requestId, issuer: config.issuer });
  return new Response(body, { status: 500, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
