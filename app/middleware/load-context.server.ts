import type { Request, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import { deviceCookie } from "#app/http/cookies.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { acquireSlotOf, countersOfRequest, type OpenInteractions } from "./interaction-limit.server.ts";
import { requestState } from "./request-state.server.ts";

/** Creates the context of loaders and actions for one request. */
export function loadContext(
  context: AppContext & Pick<LoadContext, "scriptUrl" | "brand">,
  open: OpenInteractions,
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
    isPosted: request.method === "POST",
    allowFormTarget: (uri) => {
      const target = formTargetOf(uri);
      if (target) state.formTargets.add(target);
    },
    allowPicture: (url) => {
      const source = formTargetOf(url);
      // An IPv6 address yields only the scheme, which is too wide for pictures.
      if (source?.startsWith("https://")) state.pictureSources.add(source);
    },
    deviceTokenOf: (userId) => deviceCookie(userId).read(context.config, request.headers.cookie),
    session,
    requireRestartAllowed: async () => {
      const taken = await acquireSlotOf(open, countersOfRequest(state.address, true), session);
      if (!("retryAfterSeconds" in taken)) return;
      const { retryAfterSeconds } = taken;
      // Set here, because Remix drops the headers of a Response that a loader throws.
      response.set("Retry-After", String(retryAfterSeconds));
      throw refusal(429, "throttled", {}, { retryAfterSeconds });
    },
    exchange: { request, response },
    failure: state.failure,
  };
}

/** Schemes that never lead to a client application. */
const FORBIDDEN_SCHEMES = new Set(["javascript:", "data:", "blob:", "file:", "vbscript:", "about:"]);

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

const SCHEME = /^[a-z][a-z0-9+.-]*:$/;

/**
 * Returns the source expression of a redirect URI for form-action (CSP Level 3 §2.3.1): the origin of a web URL, or a
 * custom scheme (`com.example.app:/back`); null if unsuitable.
 */
export function formTargetOf(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (!url || FORBIDDEN_SCHEMES.has(url.protocol)) return null;
  if (url.protocol !== "http:" && url.protocol !== "https:") return SCHEME.test(url.protocol) ? url.protocol : null;
  if (ORIGIN.test(url.origin)) return url.origin;
  // Source expressions have no IPv6 addresses, so the scheme is the narrowest match. Other characters that URLs allow
  // in a host, such as a semicolon, would end the directive.
  return /^\[[0-9a-f:.]+\]$/.test(url.hostname) ? url.protocol : null;
}
