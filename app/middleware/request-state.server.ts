import type { ServerResponse } from "node:http";
import type { Failure } from "#app/http/load-context.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";

/** What the edge knows and has decided about one request; the chain fills it, the pages read it. */
export type RequestState = {
  requestId: string;
  cspNonce: string;
  /** Address of the client without the IPv4-in-IPv6 prefix. */
  address: string;
  browser: string;
  /** False when `browser` was made for this answer and the browser does not have it yet. */
  browserIsKnown: boolean;
  /** Sources for form-action beside our own. */
  formTargets: Set<string>;
  /** Sources for img-src beside our own. */
  pictureSources: Set<string>;
  session: Promise<EngineSession | null> | null;
  failure: Failure | null;
};

// Keyed by the answer, gone with it: unlike Express's `locals` it keeps its types.
const states = new WeakMap<ServerResponse, RequestState>();

export function setRequestState(response: ServerResponse, state: RequestState): void {
  states.set(response, state);
}

export function requestState(response: ServerResponse): RequestState {
  const state = states.get(response);
  if (!state) throw new Error("a request went past the first link of the edge's chain");
  return state;
}
