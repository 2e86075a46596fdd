import type { Request, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import { deviceCookie } from "#app/http/cookies.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { pageLanguage } from "./page-language.server.ts";
import { requestState } from "./request-state.server.ts";
import { type StoredRequests, secondsUntilStorable } from "./stored-requests.server.ts";

/** Creates the context of loaders and actions for one request. */
export function loadContext(
  context: AppContext & Pick<LoadContext, "scriptUrl" | "brand">,
  stored: StoredRequests,
  { request, response }: { request: Request; response: Response },
): LoadContext {
  const state = requestState(response);
  const session = () => {
    state.session ??= context.oidc.session(request, response);
    return state.session;
  };
  return {
    ...context,
    requestId: state.requestId,
    cspNonce: state.cspNonce,
    browser: state.browser,
    hasBrowserCookie: state.hasBrowserCookie,
    address: state.address,
    userAgent: request.get("user-agent") ?? "",
    afterResponse: (work) => {
      const failed = (error: unknown) =>
        logError(context.log, error, { requestId: state.requestId, path: request.path });
      response.once("close", () => void work().catch(failed));
    },
    language: () => pageLanguage(context.config, request),
    isPosted: request.method === "POST",
    allowFormsToLeave: () => {
      state.formsMayLeave = true;
    },
    allowPicture: (url) => {
      const origin = URL.canParse(url) ? new URL(url).origin : "";
      if (SOURCE.test(origin)) state.pictureSources.add(origin);
    },
    deviceTokenOf: (userId) => deviceCookie(userId).read(context.config, request.headers.cookie),
    session,
    requireStorable: async (kind) => {
      const retryAfterSeconds = await secondsUntilStorable(stored, state.address, session, kind);
      if (retryAfterSeconds === 0) return;
      // Set here, because Remix drops the headers of a Response that a loader throws.
      response.set("Retry-After", String(retryAfterSeconds));
      throw refusal(429, "throttled", {}, { retryAfterSeconds });
    },
    exchange: { request, response },
    failure: state.failure,
  };
}

/**
 * An https origin that is a source expression (CSP Level 3 §2.3.1), which has no IPv6 addresses. Other characters that
 * URLs allow in a host, such as a semicolon, would end the directive.
 */
const SOURCE = /^https:\/\/[a-z0-9.-]+(:\d+)?$/;
