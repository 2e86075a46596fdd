import type { ServerResponse } from "node:http";
import type { Failure } from "#app/http/load-context.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { ForwardedFor } from "./client-address.server.ts";

/** State of one request, set by the middleware and read by the pages. */
type RequestState = {
  requestId: string;
  cspNonce: string;
  /** Client address without the IPv4-mapped IPv6 prefix. */
  address: string;
  forwardedFor: ForwardedFor;
  browser: string;
  /** False if `browser` is new and set by this response. */
  hasBrowserCookie: boolean;
  /** The page's forms may lead to any site: no form-action. */
  formsMayLeave: boolean;
  /** Additional sources for img-src. */
  pictureSources: Set<string>;
  session: Promise<EngineSession | null> | null;
  failure: Failure | null;
};

// A WeakMap is typed, unlike Express's `locals`.
const states = new WeakMap<ServerResponse, RequestState>();

export function setRequestState(response: ServerResponse, state: RequestState): void {
  states.set(response, state);
}

export function requestState(response: ServerResponse): RequestState {
  const state = states.get(response);
  if (!state) throw new Error("the request has no state: it did not pass the first middleware");
  return state;
}
