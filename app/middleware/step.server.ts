import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "#app/http/load-context.server.ts";

/** A step of a stack: passes the request on with `next`, or ends the response. Also a handler of Express. */
export type Step<Req = IncomingMessage, Res = ServerResponse> = (
  request: Req,
  response: Res,
  next: (error?: unknown) => void,
) => void;

/** Ends a request with an error. `withoutFiles`: by a page whose styles are in the page. */
export type FailWith<Req = IncomingMessage, Res = ServerResponse> = (
  request: Req,
  response: Res,
  failure: Failure,
  options?: { withoutFiles?: boolean },
) => void;

/** Returns the path of a request, without the query. */
export function pathOf({ url = "" }: Pick<IncomingMessage, "url">): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
