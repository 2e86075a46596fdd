import type { AppContext } from "#app/context.server.ts";
import type { Random } from "#app/ports.ts";
import { browserOf } from "./browser-cookie.server.ts";
import { createClientOf } from "./client-address.server.ts";
import { setRequestState } from "./request-state.server.ts";
import type { Step } from "./step.server.ts";

/** Crockford's base32, without ambiguous characters, so that a request id can be read out on the telephone. */
const REQUEST_ID_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const REQUEST_ID_BYTES = 8;
const NONCE_BYTES = 16;

/** Creates the state of a request: request id, nonce, address and browser. */
export function initializeRequest({ config, random, log }: Pick<AppContext, "config" | "random" | "log">): Step {
  const clientOf = createClientOf({ config, log });
  return (request, response, next) => {
    setRequestState(response, {
      requestId: createRequestId(random),
      cspNonce: Buffer.from(random.bytes(NONCE_BYTES)).toString("base64url"),
      ...clientOf(request),
      ...browserOf(request, { config, random }),
      ...pageState(),
    });
    next();
  };
}

/** Creates the state of a request of a program: without nonce and browser, which only pages need. */
export function initializeProtocolRequest({
  config,
  random,
  log,
}: Pick<AppContext, "config" | "random" | "log">): Step {
  const clientOf = createClientOf({ config, log });
  return (request, response, next) => {
    const requestId = createRequestId(random);
    const withoutPage = { cspNonce: "", browser: "", hasBrowserCookie: false };
    setRequestState(response, { requestId, ...clientOf(request), ...withoutPage, ...pageState() });
    next();
  };
}

function pageState() {
  return { formsMayLeave: false, pictureSources: new Set<string>(), session: null, failure: null };
}

/** Returns 40 random bits in two groups of four characters, e.g. "7f3k-92qd". */
function createRequestId(random: Random): string {
  const letters = Array.from(random.bytes(REQUEST_ID_BYTES), (byte) => REQUEST_ID_LETTERS[byte & 31]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
