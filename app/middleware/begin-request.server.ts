import { isIP } from "node:net";
import type { Request, RequestHandler } from "express";
import type { AppContext } from "#app/context.server.ts";
import type { Random } from "#app/ports.ts";
import { browserOf } from "./browser-cookie.server.ts";
import { setRequestState } from "./request-state.server.ts";

/** Crockford's letters: none looks like another, so that a reference can be read out on the telephone. */
const REFERENCE_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const REFERENCE_BYTES = 8;
const NONCE_BYTES = 16;

/** Gives the request its reference, its nonce and its place for all that is found out about it. */
export function beginRequest({ config, random }: Pick<AppContext, "config" | "random">): RequestHandler {
  return (request, response, next) => {
    setRequestState(response, {
      requestId: makeReference(random),
      cspNonce: Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url"),
      address: addressOf(request),
      ...browserOf(request, { config, random }),
      formTargets: new Set(),
      pictureSources: new Set(),
      session: null,
      failure: null,
    });
    next();
  };
}

/** 40 random bits in two groups of four letters, e.g. "7f3k-92qd". */
function makeReference(random: Random): string {
  const letters = Array.from(random.bytes(REFERENCE_BYTES), (byte) => REFERENCE_LETTERS[byte & 31]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Express has followed X-Forwarded-For as far as TRUST_PROXY goes; what a proxy made up is no address. */
function addressOf(request: Request): string {
  const found = request.ip && isIP(request.ip) ? request.ip : (request.socket.remoteAddress ?? "");
  return found.replace(/^::ffff:(?=\d+\.)/i, "");
}
