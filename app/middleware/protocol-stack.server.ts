import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AppContext } from "#app/context.server.ts";
import type { PageCode } from "#app/http/refusal.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { accessLog } from "./access-log.server.ts";
import { addRetryAfter } from "./error-response.server.ts";
import { failureOf } from "./failure.server.ts";
import { normaliseForwardedHeaders } from "./forwarded-headers.server.ts";
import { checkHost, refuseSeveralHosts } from "./host-check.server.ts";
import { initializeProtocolRequest } from "./initialize-request.server.ts";
import { measureRequests, type ObserveRequest } from "./request-duration.server.ts";
import { checkRequestLine } from "./request-line.server.ts";
import { requestState } from "./request-state.server.ts";
import type { PatternOf } from "./route-pattern.server.ts";
import { securityHeaders } from "./security-headers.server.ts";
import { type FailWith, pathOf, type Step } from "./step.server.ts";
import { countersOf, type StoredRequests } from "./stored-requests.server.ts";

type ProtocolStackInput = {
  stored: StoredRequests;
  observe: { observeRequest: ObserveRequest; patternOf: PatternOf } | null;
  isDevelopment: boolean;
};

/**
 * Creates the listener for the paths that only programs call: token, userinfo, introspection, revocation, pushed
 * requests, metadata and keys. They need neither cookies nor pages nor files, so they pass this stack instead of
 * Express (docs/decisions/084-protocol-stack.md).
 */
export function createProtocolStack(context: AppContext, input: ProtocolStackInput): RequestListener {
  const steps = protocolSteps(context, input).map(({ handler }) => handler);
  return (request, response) => runSteps(context, steps, request, response);
}

type ProtocolStep = { name: string; reason: string; handler: Step };

function protocolSteps(context: AppContext, { stored, observe, isDevelopment }: ProtocolStackInput): ProtocolStep[] {
  const measure = observe && {
    name: "measure",
    reason: "same requests as the access log, as metrics",
    handler: measureRequests(observe.observeRequest, observe.patternOf),
  };
  return [
    {
      name: "begin",
      reason: "creates request id and client address for all others",
      handler: initializeProtocolRequest(context),
    },
    {
      name: "access log",
      reason: "logs one line per request, including refused requests",
      handler: accessLog(context),
    },
    ...(measure ? [measure] : []),
    {
      name: "forwarded headers",
      reason: "the engine can trust X-Forwarded-* headers",
      handler: normaliseForwardedHeaders(context),
    },
    {
      name: "security headers",
      reason: "on every response, including errors",
      handler: securityHeaders(context, { isDevelopment }),
    },
    { name: "retry after", reason: "adds Retry-After to every 503", handler: addRetryAfter },
    {
      name: "one host",
      reason: "several Host headers are an error on every path",
      handler: refuseSeveralHosts(failWithJson),
    },
    { name: "host", reason: "only the host of the issuer is accepted", handler: checkHost(context, failWithJson) },
    {
      name: "request line",
      reason: "rejects ambiguous paths and unknown methods",
      handler: checkRequestLine(failWithJson),
    },
    { name: "engine", reason: "has its own limit of the body", handler: protocolEngine(context, stored) },
  ];
}

function runSteps(
  context: Pick<AppContext, "log" | "store">,
  steps: readonly Step[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  let position = 0;
  const next = (error?: unknown): void => {
    const step = error === undefined ? steps[position] : undefined;
    position += 1;
    if (step) step(request, response, next);
    else failWithJson(request, response, failureOf(context, error, request, response));
  };
  try {
    next();
  } catch (error) {
    next(error);
  }
}

/** Error codes of RFC 6749 §4.1.2.1 and §5.2. */
const PROTOCOL_ERRORS: ReadonlyMap<PageCode, string> = new Map([
  ["internal", "server_error"],
  ["overloaded", "temporarily_unavailable"],
  ["throttled", "temporarily_unavailable"],
]);

/** Ends the request with a JSON error (RFC 6749 §5.2). */
const failWithJson: FailWith = (_request, response, { status, code, description, retryAfterSeconds }) => {
  // A partial response must not look complete.
  if (response.headersSent) return void response.destroy();
  const details = description === undefined ? {} : { error_description: description };
  const body = JSON.stringify({ error: PROTOCOL_ERRORS.get(code) ?? code, ...details });
  response.statusCode = status;
  if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", String(retryAfterSeconds));
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
};

/** Passes requests to oidc-provider; responds 429 if an address has pushed too many requests. */
function protocolEngine({ oidc }: Pick<AppContext, "oidc">, stored: StoredRequests): Step {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requestId, address, browser } = requestState(response);
    const isPush = pathOf(request) === ENGINE_ROUTES.pushed_authorization_request;
    // Taken before the request is stored, so that concurrent requests cannot exceed the limit.
    const slot = isPush ? stored.acquire(countersOf(address)) : null;
    if (slot && "retryAfterSeconds" in slot) {
      return failWithJson(request, response, { status: 429, code: "throttled", ...slot });
    }
    let isPushed = false;
    try {
      await oidc.handle(request, response, {
        ...{ requestId, address, browser },
        onPushed: () => {
          isPushed = true;
        },
      });
    } finally {
      if (slot && !isPushed) stored.release(slot);
    }
  }

  return (request, response, next) => {
    handle(request, response).catch(next);
  };
}
