import { type SetUpDeps, storeWrongSteps, type TotpSetUp } from "./set-up.server.ts";
import { checkTotp, NEVER_USED } from "./verify.server.ts";
import { addWrongStep } from "./wrong-clock.server.ts";

/** `clockOffSeconds`: offset of the device's clock once two codes agree, else null. */
export type FirstCode =
  | { kind: "right"; step: number }
  | { kind: "refused"; reason: "wrong" | "used"; clockOffSeconds: number | null };

/** Checks the six-digit code that finishes a set-up. Stores the steps of a wrong clock with the set-up. */
export async function checkFirstCode(
  context: Pick<SetUpDeps, "store" | "clock">,
  setUp: TotpSetUp,
  code: string,
): Promise<FirstCode> {
  const { secretBase32, wrongSteps } = setUp;
  const used = { lastStep: NEVER_USED, wrongSteps };
  const result = await checkTotp({ secretBase32, code, now: context.clock.now() }, used);
  if (result.kind === "right") return result;
  const refused = { kind: "refused", clockOffSeconds: null } as const;
  if (result.kind !== "off") return { ...refused, reason: result.kind };
  const updated = addWrongStep(wrongSteps, { step: result.step, offset: result.offset });
  await storeWrongSteps(context, setUp, updated.wrongSteps);
  return { ...refused, reason: "wrong", clockOffSeconds: updated.clockOffSeconds };
}
