import { isIP } from "node:net";
import type { Request, RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { Random } from "#app/ports.ts";
import { browserOf } from "./browser-cookie.server.ts";
import { setRequestState } from "./request-state.server.ts";

/** Crockford's base32, without ambiguous characters, so that a request id can be read out on the telephone. */
const REQUEST_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const REQUEST_ID_BYTES = 8;
const NONCE_BYTES = 16;

/** Creates the state of a request: request id, nonce, address and browser. */
export function initializeRequest({ config, random }: Pick<AppContext, "config" | "random">): RequestHandler {
  return (request, response, next) => {
    setRequestState(response, {
      requestId: createRequestId(random),
      cspNonce: Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url"),
      address: addressOf(request),
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

/** Returns the client's address: X-Forwarded-For as far as TRUST_PROXY allows, if it is an IP address. */
function addressOf(request: Request): string {
  const found = request.ip && isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? "");
  return found.replace(/^::ffff:(?=\d+\.)/i, "");
}
