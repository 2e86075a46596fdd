import { verify } from "otplib";
import type { WrongStep } from "#app/db/schema.server.ts";

/** A code is good for one step of this many seconds (RFC 6238 section 4.1). */
export const STEP_SECONDS = 30;

/** The last step of a secret that was never used. */
export const NEVER_USED = -1;

/** Steps of tolerance each way, for the way from the app to here and for a clock that is a little off. */
const TOLERATED_STEPS = 1;

/** So many steps each way a wrong code is looked for, to tell people that their device's clock is off. */
const CLOCK_STEPS = 10;

/** What is known of the secret: the last accepted step, and those that came from a wrong clock. */
export type UsedSteps = { lastStep: number; wrongSteps: readonly WrongStep[] };

export type TotpVerdict =
  | { kind: "right"; step: number }
  /** The code was right, and was used, or shown by a wrong clock, before. */
  | { kind: "used" }
  /** The right code of another time: refused. */
  | ({ kind: "off" } & WrongStep)
  | { kind: "wrong" };

/**
 * Checks a 6-digit code. Window: one step of 30 s each way. A step is good once, and so is every step before the last
 * accepted one; the caller stores the step (`acceptStep`), which decides among several at once. RFC 6238 section 5.2.
 */
export async function checkTotp(
  { secretBase32, code, now }: { secretBase32: string; code: string; now: Date },
  { lastStep, wrongSteps }: UsedSteps,
): Promise<TotpVerdict> {
  const step = await findStep({ secretBase32, code, now }, TOLERATED_STEPS);
  if (step !== null) {
    const isSpent = step <= lastStep || wrongSteps.some((wrong) => wrong.step === step);
    return isSpent ? { kind: "used" } : { kind: "right", step };
  }
  const otherStep = await findStep({ secretBase32, code, now }, CLOCK_STEPS);
  if (otherStep === null) return { kind: "wrong" };
  if (otherStep === lastStep) return { kind: "used" };
  return { kind: "off", step: otherStep, offset: otherStep - stepOf(now) };
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
