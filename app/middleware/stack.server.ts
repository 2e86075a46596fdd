import type { RequestListener } from "node:http";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import { type BrandFiles, createBrandFiles } from "#app/http/brand-files.server.ts";
import { accessLog } from "./access-log.server.ts";
import { redirectPostedRequests } from "./authorization-post.server.ts";
import { limitBody } from "./body-limit.server.ts";
import { setBrowserCookie } from "./browser-cookie.server.ts";
import { engine } from "./engine.server.ts";
import { isMachinePath } from "./engine-paths.server.ts";
import { addRetryAfter, createFailWith, type FailWithPage } from "./error-response.server.ts";
import { failureOf } from "./failure.server.ts";
import { normaliseForwardedHeaders } from "./forwarded-headers.server.ts";
import { healthProbes, type ReadinessCheck } from "./health.server.ts";
import { checkHost, refuseSeveralHosts } from "./host-check.server.ts";
import { initializeRequest } from "./initialize-request.server.ts";
import { checkOrigin } from "./origin-check.server.ts";
import { createProtocolStack } from "./protocol-stack.server.ts";
import { providerFormPost } from "./provider-form-post.server.ts";
import { type Build, pages } from "./remix.server.ts";
import { measureRequests, type ObserveRequest } from "./request-duration.server.ts";
import { checkRequestLine } from "./request-line.server.ts";
import { createPatternOf, type PatternOf } from "./route-pattern.server.ts";
import { securityHeaders } from "./security-headers.server.ts";
import { serveBrandFiles } from "./send-brand-files.server.ts";
import { openSettingsLinks } from "./settings-token.server.ts";
import { type StaticDirs, staticFiles } from "./static-files.server.ts";
import { pathOf } from "./step.server.ts";
import { createStoredRequests, type StoredRequests } from "./stored-requests.server.ts";

/** Output of the builds. */
export type Pages = StaticDirs & {
  build: Build;
  /** URL of the client script. */
  scriptUrl: string;
  /** Vite's middleware, instead of static files; only in development. */
  developmentServer?: RequestHandler;
};

export type AppOptions = Pages & {
  context: AppContext;
  /** Checks of /readyz. */
  readiness: readonly ReadinessCheck[];
  /** Called for every request, if set. */
  observeRequest?: ObserveRequest | undefined;
};

/** An entry of the middleware stack. */
type StackEntry = { name: string; reason: string; handler: RequestHandler };

/**
 * Creates the listener of the server: programs' requests pass the protocol stack, all others the Express application.
 * Both stacks run from top to bottom.
 */
export function createListener(input: AppOptions): RequestListener {
  const { context, observeRequest, build } = input;
  const stored = createStoredRequests(context.clock);
  const observe = observeRequest ? { observeRequest, patternOf: createPatternOf(build) } : null;
  const isDevelopment = input.developmentServer !== undefined;
  const serveProtocol = createProtocolStack(context, { stored, observe, isDevelopment });
  const servePages = createApp(input, { stored, observe, isDevelopment });
  return (request, response) => (isMachinePath(pathOf(request)) ? serveProtocol : servePages)(request, response);
}

/** The parts that both stacks share. */
type Shared = {
  stored: StoredRequests;
  observe: { observeRequest: ObserveRequest; patternOf: PatternOf } | null;
  isDevelopment: boolean;
};

function createApp(input: AppOptions, shared: Shared): express.Express {
  const { context } = input;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // No handler reads `request.query`; Express would parse the query of each request, challenges of 1 KB included.
  app.disable("query parser");
  const { stored, isDevelopment } = shared;
  const brand = createBrandFiles(context.config);
  const remix = pages(context, { ...input, brand, stored }, { isDevelopment });
  const failWith = createFailWith(context, remix);
  for (const { handler } of middlewareStack(input, { ...shared, remix, brand, failWith })) app.use(handler);
  app.use(createErrorHandler(context, failWith));
  return app;
}

type StackDeps = Shared & { remix: RequestHandler; brand: BrandFiles; failWith: FailWithPage };

function middlewareStack(
  { context, ...input }: AppOptions,
  { remix, brand, failWith, stored, observe, isDevelopment }: StackDeps,
): StackEntry[] {
  return [
    {
      name: "begin",
      reason: "creates request id, nonce, client address and browser id for all others",
      handler: initializeRequest(context),
    },
    {
      name: "access log",
      reason: "logs one line per request, including refused requests",
      handler: accessLog(context),
    },
    ...measureEntries(observe),
    {
      name: "forwarded headers",
      reason: "all others can trust X-Forwarded-* headers",
      handler: normaliseForwardedHeaders(context),
    },
    {
      name: "security headers",
      reason: "on every response, including errors",
      handler: securityHeaders(context, { isDevelopment }),
    },
    {
      name: "retry after",
      reason: "adds Retry-After to every 503",
      handler: addRetryAfter,
    },
    {
      name: "one host",
      reason: "before the health probes: several Host headers are an error on every path",
      handler: refuseSeveralHosts(failWith),
    },
    {
      name: "health probes",
      reason: "before the host check: probes may use the IP address",
      handler: healthProbes(context, input.readiness),
    },
    { name: "host", reason: "only the host of the issuer is accepted", handler: checkHost(context, failWith) },
    {
      name: "request line",
      reason: "rejects ambiguous paths before files and routes",
      handler: checkRequestLine(failWith),
    },
    {
      name: "static files",
      reason: "before the cookie: they are the same for all browsers",
      handler: input.developmentServer ?? staticFiles(input),
    },
    { name: "brand files", reason: "as the static files", handler: serveBrandFiles(brand) },
    { name: "body limit", reason: "refuses large bodies without reading them", handler: limitBody(failWith) },
    {
      name: "posted answers",
      reason: "before the origin check: a provider's page posts its response across sites",
      handler: providerFormPost(context, failWith),
    },
    { name: "origin", reason: "refuses posts from pages of other sites", handler: checkOrigin(context, failWith) },
    {
      name: "posted requests",
      reason: "before the cookie: a cross-site POST has no cookie; the GET after the redirect has it",
      handler: redirectPostedRequests(failWith),
    },
    {
      name: "browser cookie",
      reason: "before everything that is bound to the browser",
      handler: setBrowserCookie(context),
    },
    { name: "engine", reason: "before Remix, with an unread body", handler: engine(context, stored, failWith) },
    {
      name: "settings links",
      reason: "before Remix, whose loaders run in parallel: a link to the settings is single-use",
      handler: openSettingsLinks(context),
    },
    { name: "pages", reason: "all other paths, including unknown ones", handler: remix },
  ];
}

/** Returns no entry if requests are not observed. */
function measureEntries(observe: Shared["observe"]): StackEntry[] {
  if (observe === null) return [];
  const handler = measureRequests(observe.observeRequest, observe.patternOf);
  return [{ name: "measure", reason: "same requests as the access log, as metrics", handler }];
}

/** Handles errors that nothing else handled. */
function createErrorHandler(context: Pick<AppContext, "log" | "store">, failWith: FailWithPage): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, request, response, _next) => {
    const failure = failureOf(context, error, request, response);
    const mayRetry = failure.status === 503 && request.method === "GET";
    failWith(request, response, { ...failure, ...(mayRetry ? { retryUrl: request.originalUrl } : {}) });
  };
}
