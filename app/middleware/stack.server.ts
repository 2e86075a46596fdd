import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { Scripts } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { accessLog } from "./access-log.server.ts";
import { postedAnswers } from "./apple-form-post.server.ts";
import { postedRequests } from "./authorization-post.server.ts";
import { beginRequest } from "./begin-request.server.ts";
import { limitBody } from "./body-limit.server.ts";
import { giveBrowserCookie } from "./browser-cookie.server.ts";
import { engine } from "./engine.server.ts";
import { createFailWith, type FailWith, sayWhenToRetry } from "./error-response.server.ts";
import { normaliseForwardedHeaders } from "./forwarded-headers.server.ts";
import { healthProbes, type ReadinessCheck } from "./health.server.ts";
import { checkHost, refuseSeveralHosts } from "./host-check.server.ts";
import { createOpenInteractions, type OpenInteractions } from "./interaction-limit.server.ts";
import { checkOrigin } from "./origin-check.server.ts";
import { type Build, pages } from "./remix.server.ts";
import { measureRequests, type ObserveRequest } from "./request-duration.server.ts";
import { checkRequestLine } from "./request-line.server.ts";
import { requestState } from "./request-state.server.ts";
import { createPatternOf } from "./route-pattern.server.ts";
import { securityHeaders } from "./security-headers.server.ts";
import { spendSettingsLinks } from "./settings-token.server.ts";
import { type StaticDirs, staticFiles } from "./static-files.server.ts";

/** Output of the builds. */
export type Pages = StaticDirs & {
  build: Build;
  scripts: Scripts;
  /** Vite's middleware, instead of static files; only in development. */
  developmentServer?: RequestHandler;
};

export type EdgeInput = Pages & {
  context: AppContext;
  /** Checks of /readyz. */
  readiness: readonly ReadinessCheck[];
  /** Called for every request, if set. */
  observeRequest?: ObserveRequest | undefined;
};

/** An entry of the middleware stack. */
type Link = { name: string; why: string; handler: RequestHandler };

/** Creates the Express application; requests pass the middleware stack from top to bottom. */
export function createEdge(input: EdgeInput): express.Express {
  const { context } = input;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("trust proxy", context.config.trustProxy);
  const isDevelopment = input.developmentServer !== undefined;
  const open = createOpenInteractions(context.clock);
  const remix = pages(context, { ...input, open }, { isDevelopment });
  const failWith = createFailWith(context, remix);
  for (const { handler } of chain(input, { remix, failWith, open, isDevelopment })) app.use(handler);
  app.use(lastResort(context, failWith));
  return app;
}

type Parts = { remix: RequestHandler; failWith: FailWith; open: OpenInteractions; isDevelopment: boolean };

function chain({ context, ...input }: EdgeInput, { remix, failWith, open, isDevelopment }: Parts): Link[] {
  return [
    {
      name: "begin",
      why: "a reference, a nonce, the client's address and the browser's name, for all that follow",
      handler: beginRequest(context),
    },
    { name: "access log", why: "one line per request, refused ones too", handler: accessLog(context) },
    ...measuring(input),
    {
      name: "forwarded headers",
      why: "nobody behind this point has to ask whether a proxy can be believed",
      handler: normaliseForwardedHeaders(context),
    },
    {
      name: "security headers",
      why: "on every answer, also on refusals and errors",
      handler: securityHeaders(context, { isDevelopment }),
    },
    {
      name: "retry after",
      why: "every 503 says when to try again, whoever wrote it",
      handler: sayWhenToRetry,
    },
    {
      name: "one host",
      why: "before the health probes: two Host lines are an error on every path",
      handler: refuseSeveralHosts(failWith),
    },
    {
      name: "health probes",
      why: "before the host check: probes call by address",
      handler: healthProbes(context, input.readiness),
    },
    { name: "host", why: "there is one address, the issuer's", handler: checkHost(context, failWith) },
    { name: "request line", why: "no odd path reaches a file or a route", handler: checkRequestLine(failWith) },
    {
      name: "static files",
      why: "before the cookie: they are the same for everybody",
      handler: input.developmentServer ?? staticFiles(input),
    },
    { name: "body limit", why: "long bodies are refused unread", handler: limitBody(failWith) },
    {
      name: "posted answers",
      why: "before the origin check: a provider's page may post its answer here, and nothing else",
      handler: postedAnswers(context, failWith),
    },
    { name: "origin", why: "other sites' pages may not post here", handler: checkOrigin(context, failWith) },
    {
      name: "posted requests",
      why: "before the cookie: this request comes without it, the GET that follows brings it",
      handler: postedRequests(failWith),
    },
    {
      name: "browser cookie",
      why: "before everything that binds something to the browser",
      handler: giveBrowserCookie(context),
    },
    { name: "engine", why: "before Remix, with the body untouched", handler: engine(context, open, failWith) },
    {
      name: "settings links",
      why: "before Remix, whose loaders run at the same time: a link to the settings works once",
      handler: spendSettingsLinks(context),
    },
    { name: "pages", why: "all the rest, unknown paths too", handler: remix },
  ];
}

/** Returns no entry if requests are not observed. */
function measuring({ observeRequest, build }: Pick<EdgeInput, "observeRequest" | "build">): Link[] {
  if (observeRequest === undefined) return [];
  const handler = measureRequests(observeRequest, createPatternOf(build));
  return [{ name: "measure", why: "beside the access log: the same requests, as figures", handler }];
}

/** Handles errors that nothing else handled; the response contains no details. */
function lastResort({ log, store }: Pick<AppContext, "log" | "store">, failWith: FailWith): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (error: unknown, request, response, _next) => {
    const status = statusOf(error);
    if (status >= 500) logError(log, error, { requestId: requestState(response).requestId, path: request.path });
    if (store.isUnavailable(error)) return failWith(request, response, { status: 503, code: "overloaded" });
    failWith(request, response, { status, code: status >= 500 ? "internal" : "bad request" });
  };
}

/** Express and its body parser set a 4xx status on client errors. */
function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("status" in error)) return 500;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}
