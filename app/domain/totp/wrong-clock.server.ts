import type { WrongStep } from "#app/db/schema.server.ts";
import { STEP_SECONDS } from "./verify.server.ts";

/** Older steps are dropped: they belong to another attempt and can no longer be accepted. */
const KEPT_STEPS = 30;

/**
 * Adds the step of a right code of another time. If two different steps have the same offset, returns it as
 * `clockOffSeconds` (negative if the clock is slow), else null.
 */
export function addWrongStep(
  recorded: readonly WrongStep[],
  seen: WrongStep,
): { wrongSteps: WrongStep[]; clockOffSeconds: number | null } {
  const now = seen.step - seen.offset;
  const others = recorded.filter(({ step }) => step !== seen.step && step > now - KEPT_STEPS);
  const isSame = others.some(({ offset }) => offset === seen.offset);
  return { wrongSteps: [...others, seen], clockOffSeconds: isSame ? seen.offset * STEP_SECONDS : null };
}
