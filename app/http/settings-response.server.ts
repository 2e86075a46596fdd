import { assertNever } from "#app/domain/assert-never.ts";
import type { ErrorCode } from "#app/domain/errors.ts";
import type { ConnectBegun } from "#app/domain/external-account/connect.server.ts";
import type { Disconnection } from "#app/domain/external-account/disconnect.server.ts";
import type { Done, NotAllowed } from "#app/domain/settings/change.server.ts";
import type { KeyEnd } from "#app/domain/settings/security-keys.server.ts";
import type { RefusedTotp } from "#app/domain/settings/totp.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { answerError, answerJson } from "./json-call.server.ts";
import type { LoadContext } from "./load-context.server.ts";
import { OVERLOAD_HEADERS } from "./overload.server.ts";

/** What the calls of the settings' API end with that have no answer of their own. */
type SettingsOutcome =
  | Done
  | NotAllowed
  | KeyEnd
  | RefusedTotp
  | { kind: "refused"; code: ErrorCode }
  | { kind: "totp already registered" | "totp not found" | "unavailable" | "overloaded" }
  | Exclude<ConnectBegun, { kind: "away" }>
  | Disconnection;

/** Statuses of refusals that are not 400. */
const STATUS_OF_CODE: ReadonlyMap<ErrorCode, number> = new Map([
  ["page_not_found", 404],
  ["username not available", 409],
  ["totp already registered", 409],
  ["provider failed", 503],
]);

/** Where a call of the API comes from: no browser, whatever cookies came along. */
export function callFacts({ address, userAgent, requestId }: LoadContext): RequestMetadata {
  return { browser: "", address, userAgent, requestId };
}

/** The JSON answer to a change: `{}`, or `{ error }` with what helps to tell the person why. */
export function settingsAnswer(outcome: SettingsOutcome): Response {
  switch (outcome.kind) {
    case "done":
      return answerJson({});
    case "unauthorized":
      return answerError(401, "unauthorized");
    case "reauthentication_required":
      return answerError(403, "reauthentication_required");
    case "throttled": {
      const { retryAfterSeconds } = outcome;
      return answerError(429, "throttled", { headers: { "Retry-After": String(retryAfterSeconds) } });
    }
    case "overloaded":
      return answerError(503, "overloaded", { headers: OVERLOAD_HEADERS });
    case "refused":
      return refuse(outcome.code);
    case "totp already registered":
    case "totp not found":
    case "page_not_found":
    case "bad request":
    case "provider failed":
    case "account not connected":
    case "last sign-in method":
      return refuse(outcome.kind);
    case "invalid verification code": {
      const { reason, clockOffSeconds } = outcome;
      return refuse(outcome.kind, { reason, clockOffSeconds });
    }
    case "security key refused":
      return refuse(outcome.kind, { reason: outcome.reason });
    case "unavailable":
      return refuse("security key refused", { reason: "unavailable" });
    default:
      return assertNever(outcome);
  }
}

/** The same for what the person is told by mail: a change that was made sends it on its way. */
export function changeAnswer(
  { mail, logouts }: Pick<LoadContext, "mail" | "logouts">,
  outcome: SettingsOutcome,
): Response {
  if (outcome.kind === "done") {
    mail.wake();
    logouts.wake();
  }
  return settingsAnswer(outcome);
}

function refuse(code: ErrorCode, facts: object = {}): Response {
  return answerError(STATUS_OF_CODE.get(code) ?? 400, code, { facts });
}
