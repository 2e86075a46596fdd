import type { ActionFunction, AppLoadContext, LoaderFunction, ServerBuild } from "@remix-run/node";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { isJson } from "#app/http/json-call.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { isApiPath } from "./engine-paths.server.ts";

/**
 * Returns a build whose routes respond 503 while the database is locked or unavailable, and in which routes without a
 * page respond to unexpected errors with JSON or a page, instead of Remix's line of plain text.
 */
export function withErrorResponses(build: ServerBuild): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => [
    id,
    route && { ...route, module: withErrorHandler(route.module, route.module.default ? pageError : errorResponse) },
  ]);
  return { ...build, routes: Object.fromEntries(routes) };
}

type RouteModule = NonNullable<ServerBuild["routes"][string]>["module"];

type ErrorHandler = (args: { request: Request; context: AppLoadContext }, error: unknown) => unknown;

function withErrorHandler(module: RouteModule, handleError: ErrorHandler): RouteModule {
  const { loader, action } = module;
  return {
    ...module,
    ...(loader && { loader: guarded(loader, handleError) }),
    ...(action && { action: guarded(action, handleError) }),
  };
}

function guarded<Work extends LoaderFunction | ActionFunction>(work: Work, handleError: ErrorHandler) {
  return async (args: Parameters<Work>[0]) => {
    try {
      return await work(args);
    } catch (error) {
      if (error instanceof Response) throw error;
      throw handleError(args, error);
    }
  };
}

/** Returns the error to throw: Remix renders a thrown Response in the error boundary and any other error as a 500. */
function pageError({ request, context }: { request: Request; context: AppLoadContext }, error: unknown): unknown {
  if (!context.store.isUnavailable(error)) return error;
  logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
  return refusal(503, "overloaded");
}

function errorResponse({ request, context }: { request: Request; context: AppLoadContext }, error: unknown): Response {
  const { log, requestId, config, store } = context;
  const { pathname: path } = new URL(request.url);
  logError(log, error, { requestId, path });
  const failure = store.isUnavailable(error)
    ? ({ status: 503, code: "overloaded" } as const)
    : ({ status: 500, code: "internal" } as const);
  // Calls without a payload may have no content type, but second-factor calls have this header.
  const isCall = isApiPath(path) || isJson(request) || request.headers.has("x-xsrf-token");
  if (isCall) return Response.json({ error: failure.code }, { status: failure.status });
  const body = fallbackPage({ ...failure, requestId, issuer: config.issuer });
  return new Response(body, { status: failure.status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
