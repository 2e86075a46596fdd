import type { WrongStep } from "#app/db/schema.server.ts";
import { STEP_SECONDS } from "./verify.server.ts";

/** Steps that are kept: older ones are of another attempt, and can never be accepted any more. */
const KEPT_STEPS = 30;

/**
 * Notes the right code of another time. Once two different ones were off by the same number of steps, the device's clock
 * is off by `clockOffSeconds` (below zero: it is slow), else that is null.
 */
export function noteWrongStep(
  known: readonly WrongStep[],
  seen: WrongStep,
): { wrongSteps: WrongStep[]; clockOffSeconds: number | null } {
  const now = seen.step - seen.offset;
  const others = known.filter(({ step }) => step !== seen.step && step > now - KEPT_STEPS);
  const isSame = others.some(({ offset }) => offset === seen.offset);
  return { wrongSteps: [...others, seen], clockOffSeconds: isSame ? seen.offset * STEP_SECONDS : null };
}
