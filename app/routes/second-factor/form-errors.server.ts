import { assertNever } from "#app/domain/assert-never.ts";
import type { CodeVerdict } from "#app/domain/second-factor/verify-code.server.ts";
import type { StepProblem } from "./verify-page.server.ts";

/** What a page says, and which header its answer has, where an attempt was not heard. */
export function waitOf({ retryAfterSeconds }: { retryAfterSeconds: number }): [StepProblem, Record<string, string>] {
  const waitMinutes = Math.ceil(retryAfterSeconds / 60);
  return [{ error: "throttled", waitMinutes }, { "Retry-After": String(retryAfterSeconds) }];
}

/** What a page says about a code that was not taken. */
export function codeProblem(verdict: Exclude<CodeVerdict, { kind: "verified" | "throttled" }>): StepProblem {
  switch (verdict.kind) {
    // Another tab has the newer token: the same form again, with a token that works.
    case "unauthorized":
      return { error: "xsrf" };
    case "malformed":
      return { error: "invalid verification code", refusal: "malformed" };
    case "refused": {
      const { reason: refusal, clockOffSeconds } = verdict;
      return { error: "invalid verification code", refusal, clockOffSeconds };
    }
    default:
      return assertNever(verdict);
  }
}
