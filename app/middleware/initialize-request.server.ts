import type { RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { Random } from "#app/ports.ts";
import { browserOf } from "./browser-cookie.server.ts";
import { createAddressOf, forwardedForOf } from "./client-address.server.ts";
import { setRequestState } from "./request-state.server.ts";

/** Crockford's base32, without ambiguous characters, so that a request id can be read out on the telephone. */
const REQUEST_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const REQUEST_ID_BYTES = 8;
const NONCE_BYTES = 16;

/** Creates the state of a request: request id, nonce, address and browser. */
export function initializeRequest({
  config,
  random,
  log,
}: Pick<AppContext, "config" | "random" | "log">): RequestHandler {
  const addressOf = createAddressOf({ log });
  return (request, response, next) => {
    setRequestState(response, {
      requestId: createRequestId(random),
      cspNonce: Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url"),
      address: addressOf(request),
      forwardedFor: forwardedForOf(request),
      ...browserOf(request, { config, random }),
      formsMayLeave: false,
      pictureSources: new Set(),
      session: null,
      failure: null,
    });
    next();
  };
}

/** Returns 40 random bits in two groups of four characters, e.g. "7f3k-92qd". */
function createRequestId(random: Random): string {
  const letters = Array.from(random.bytes(REQUEST_ID_BYTES), (byte) => REQUEST_ID_LETTERS[byte & 31]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
