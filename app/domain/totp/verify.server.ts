import { verify } from "otplib";
import type { WrongStep } from "#app/db/schema.server.ts";

/** Length of a time step (RFC 6238 §4.1). */
export const STEP_SECONDS = 30;

/** `lastStep` of a secret without an accepted code. */
export const NEVER_USED = -1;

/** Accepted steps before and after the current one (RFC 6238 §5.2). */
const TOLERATED_STEPS = 1;

/** Steps before and after the current one that are searched to detect a wrong clock. */
const CLOCK_STEPS = 10;

/** The last accepted step, and the steps seen with a wrong clock. */
type UsedSteps = { lastStep: number; wrongSteps: readonly WrongStep[] };

/** Result of `checkTotp`. */
type TotpResult =
  | { kind: "right"; step: number }
  /** The code was used before, or seen with a wrong clock. */
  | { kind: "used" }
  /** The right code of another time. Refused. */
  | ({ kind: "off" } & WrongStep)
  | { kind: "wrong" };

/**
 * Checks a 6-digit code within one step of 30 s each way. Steps up to the last accepted one are refused. The caller
 * stores the step with `consumeStep`, which resolves concurrent calls. RFC 6238 §5.2.
 */
export async function checkTotp(
  { secretBase32, code, now }: { secretBase32: string; code: string; now: Date },
  { lastStep, wrongSteps }: UsedSteps,
): Promise<TotpResult> {
  const step = await findStep({ secretBase32, code, now }, TOLERATED_STEPS);
  if (step !== null) {
    const isUsed = step <= lastStep || wrongSteps.some((wrong) => wrong.step === step);
    return isUsed ? { kind: "used" } : { kind: "right", step };
  }
  const otherStep = await findStep({ secretBase32, code, now }, CLOCK_STEPS);
  if (otherStep === null) return { kind: "wrong" };
  if (otherStep === lastStep) return { kind: "used" };
  return { kind: "off", step: otherStep, offset: otherStep - stepOf(now) };
}

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

function stepOf(now: Date): number {
  return Math.floor(secondsOf(now) / STEP_SECONDS);
}

async function findStep(
  { secretBase32, code, now }: { secretBase32: string; code: string; now: Date },
  steps: number,
): Promise<number | null> {
  const epochTolerance = steps * STEP_SECONDS;
  const result = await verify({ secret: secretBase32, token: code, epoch: secondsOf(now), epochTolerance });
  return result.valid && "timeStep" in result ? result.timeStep : null;
}

function secondsOf(now: Date): number {
  return Math.floor(now.getTime() / 1000);
}
