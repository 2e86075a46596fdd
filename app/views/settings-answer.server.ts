import { assertNever } from "#app/domain/assert-never.ts";
import type { SettingsFacts } from "#app/domain/settings/access.ts";
import type { Done, NotAllowed } from "#app/domain/settings/change.server.ts";
import type { KeyEnd } from "#app/domain/settings/security-keys.server.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import { answerError, answerJson } from "#app/http/json-call.server.ts";
import { OVERLOAD_HEADERS } from "./overload.server.ts";

/** What the calls of the settings' API end with that have no answer of their own. */
type SettingsOutcome = Done | NotAllowed | KeyEnd | { kind: "unavailable" | "overloaded" };

/** Where a call of the API comes from: no browser, whatever cookies came along. */
export function callFacts({ address, userAgent, requestId }: LoadContext): SettingsFacts {
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
    case "security key refused":
      return answerError(400, "security key refused", { facts: { reason: outcome.reason } });
    case "unavailable":
      return answerError(400, "security key refused", { facts: { reason: "unavailable" } });
    default:
      return assertNever(outcome);
  }
}
