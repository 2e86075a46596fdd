import type { RequestMetadata } from "#app/ports.ts";
import type { LoadContext } from "./load-context.server.ts";

/** Returns the metadata of a request for the domain. */
export function requestMetadata({ browser, address, userAgent, requestId }: LoadContext): RequestMetadata {
  return { browser, address, userAgent, requestId };
}
