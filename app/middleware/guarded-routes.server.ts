import type { ActionFunction, AppLoadContext, LoaderFunction, ServerBuild } from "@remix-run/node";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { pageUrlOf } from "#app/http/form.server.ts";
import { isJson } from "#app/http/json-call.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { isApiPath } from "./engine-paths.server.ts";

/**
 * Returns a build whose routes respond 503 while the database is locked or unavailable, and in which routes without a
 * page respond to unexpected errors with JSON or a page, instead of Remix's line of plain text. After an action, which
 * loads the page itself, the route's loader does not run.
 */
export function guardRoutes(build: ServerBuild): ServerBuild {
  const routes = Object.entries(build.routes).map(([id, route]) => [
    id,
    route && { ...route, module: guardModule(route.module, route.module.default ? pageError : errorResponse) },
  ]);
  return { ...build, routes: Object.fromEntries(routes) };
}

type RouteModule = NonNullable<ServerBuild["routes"][string]>["module"];

type Args = { request: Request; context: AppLoadContext };

/** Returns what to throw: Remix renders a thrown Response in the error boundary. */
type ErrorHandler = (args: Args, error: unknown) => Response | Promise<Response>;

function guardModule(module: RouteModule, handleError: ErrorHandler): RouteModule {
  const { loader, action } = module;
  return {
    ...module,
    ...(loader && { loader: guarded(action ? notAfterAction(loader) : loader, handleError) }),
    ...(action && { action: guarded(action, handleError) }),
  };
}

function notAfterAction(loader: LoaderFunction): LoaderFunction {
  return (args) => (args.context.isPosted ? null : loader(args));
}

function guarded<Work extends LoaderFunction | ActionFunction>(work: Work, handleError: ErrorHandler) {
  return async (args: Parameters<Work>[0]) => {
    try {
      return await work(args);
    } catch (error) {
      throw await handleError(args, error);
    }
  };
}

/**
 * Adds to the error's data what its page shows and the browser cannot know when a navigation without a document load
 * fails: the reference, and the URL to try again.
 */
async function pageError({ request, context }: Args, error: unknown): Promise<Response> {
  const response = error instanceof Response ? error : unexpectedError({ request, context }, error);
  if (response.status < 400) return response;
  const { status, headers } = response;
  const retryUrl = retryUrlOf({ request, context }, status);
  return Response.json({ ...(await response.json()), reference: context.requestId, retryUrl }, { status, headers });
}

/** Returns the URL to load again; for a form that a 503 refused, that of its page. */
function retryUrlOf({ request, context }: Args, status: number): string | null {
  // A request that the middleware refused is rendered under another URL.
  if (context.failure) return context.failure.retryUrl ?? null;
  return request.method === "GET" || status === 503 ? pageUrlOf(request) : null;
}

function unexpectedError({ request, context }: Args, error: unknown): Response {
  logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
  return context.store.isUnavailable(error) ? refusal(503, "overloaded") : refusal(500, "internal");
}

async function errorResponse({ request, context }: Args, error: unknown): Promise<Response> {
  if (error instanceof Response) return error;
  const { log, requestId, config, store } = context;
  const { pathname: path } = new URL(request.url);
  logError(log, error, { requestId, path });
  const failure = store.isUnavailable(error)
    ? ({ status: 503, code: "overloaded" } as const)
    : ({ status: 500, code: "internal" } as const);
  // Calls without a payload may have no content type, but second-factor calls have this header.
  const isCall = isApiPath(path) || isJson(request) || request.headers.has("x-xsrf-token");
  if (isCall) return Response.json({ error: failure.code }, { status: failure.status });
  const { body, headers } = fallbackPage({ ...failure, requestId, language: await context.language(), config });
  return new Response(body, { status: failure.status, headers });
}
