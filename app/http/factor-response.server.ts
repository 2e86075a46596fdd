import { assertNever } from "#app/domain/assert-never.ts";
import type { KeySetUp } from "#app/domain/second-factor/key-set-up.server.ts";
import type { CodeVerdict } from "#app/domain/second-factor/verify-code.server.ts";
import type { KeyCheck } from "#app/domain/second-factor/verify-key.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { answerError, answerJson } from "./json-call.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { OVERLOAD_HEADERS } from "./overload.server.ts";

/** What the JSON calls of the second-factor step end with, of all kinds of factor. */
type FactorOutcome =
  | CodeVerdict
  | KeyCheck
  | KeySetUp
  | {
      kind:
        | "totp not found"
        | "factor already registered"
        | "no key"
        | "unavailable"
        | "overloaded"
        | "reauthentication_required";
    };

/** Where a call about a factor comes from. */
export function requestMetadata({ browser, address, userAgent, requestId }: LoadContext): RequestMetadata {
  return { browser, address, userAgent, requestId };
}

/**
 * The JSON answer to a factor: `{ token }` with the next mfa_token, or `{ error }` with `reason` and, for a code,
 * `clockOffSeconds`.
 */
export function factorAnswer(outcome: FactorOutcome): Response {
  switch (outcome.kind) {
    case "verified":
      return answerJson({ token: outcome.mfaToken });
    case "unauthorized":
      return answerError(401, "unauthorized");
    case "malformed":
      return answerError(400, "invalid verification code", { facts: { reason: "malformed" } });
    case "refused":
      return refused(outcome);
    case "throttled": {
      const { retryAfterSeconds } = outcome;
      return answerError(429, "throttled", { headers: { "Retry-After": String(retryAfterSeconds) } });
    }
    case "overloaded":
      return answerError(503, "overloaded", { headers: OVERLOAD_HEADERS });
    case "totp not found":
      return answerError(400, "totp not found");
    case "factor already registered":
      return answerError(403, "factor already registered");
    case "reauthentication_required":
      return answerError(403, "reauthentication_required");
    case "no key":
      return answerError(400, "security key not found");
    case "unavailable":
      return answerError(400, "security key refused", { facts: { reason: "unavailable" } });
    default:
      return assertNever(outcome);
  }
}

function refused(outcome: Extract<FactorOutcome, { kind: "refused" }>): Response {
  if ("clockOffSeconds" in outcome) {
    const { reason, clockOffSeconds } = outcome;
    return answerError(400, "invalid verification code", { facts: { reason, clockOffSeconds } });
  }
  const { reason } = outcome;
  return answerError(400, reason === "unknown key" ? "security key not found" : "security key refused", {
    facts: { reason },
  });
}
