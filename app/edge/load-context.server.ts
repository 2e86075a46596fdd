import type { Request, Response } from "express";
import { z } from "zod";
import type { AppContext, RequestFacts } from "#app/context.server.ts";
import { logError } from "#app/http/log-error.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import type { Failure } from "./failure.server.ts";
import { formTargetOf } from "./form-target.server.ts";
import { countersOfRequest, type OpenInteractions, takePlaceOf } from "./open-interactions.server.ts";
import { requestState } from "./request-state.server.ts";

/** Addresses of the small scripts by name, as the build lists them. */
export const scriptAddresses = z.object({
  "enhance.js": z.string(),
  "second-factor.js": z.string(),
  "own-key.js": z.string(),
  "keep.js": z.string(),
  "new-password.js": z.string(),
});

export type Scripts = Readonly<z.infer<typeof scriptAddresses>>;

/** What every page is made of beside its own data. */
type PageParts = AppContext & { scripts: Scripts };

/**
 * What every loader and action gets. `browserIsKnown`: whether the request brought the browser's cookie. `failure` is set only when
 * the edge itself wants an error page.
 */
export type LoadContext = PageParts & RequestFacts & { browserIsKnown: boolean; failure: Failure | null };

declare module "@remix-run/node" {
  // Only an interface can be added to.
  interface AppLoadContext extends LoadContext {}
}

/** Joins what lives as long as the process with what the edge found out about this request. */
export function loadContext(
  context: PageParts,
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
    browserIsKnown: state.browserIsKnown,
    address: state.address,
    userAgent: request.get("user-agent") ?? "",
    afterAnswer: (work) => {
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
      // The scheme alone is the source of an IPv6 address: too wide for pictures.
      if (source?.startsWith("https://")) state.pictureSources.add(source);
    },
    session,
    requirePlaceToPush: async () => {
      const taken = await takePlaceOf(open, countersOfRequest(state.address, true), session);
      if (!("retryAfterSeconds" in taken)) return;
      const { retryAfterSeconds } = taken;
      // On the response itself: Remix drops the headers of what a loader throws.
      response.set("Retry-After", String(retryAfterSeconds));
      throw refusal(429, "throttled", {}, { retryAfterSeconds });
    },
    exchange: { request, response },
    failure: state.failure,
  };
}
