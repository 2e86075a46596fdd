import { keepWrongSteps, type SetUpDeps, type TotpSetUp } from "./set-up.server.ts";
import { checkTotp, NEVER_USED } from "./verify.server.ts";
import { noteWrongStep } from "./wrong-clock.server.ts";

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
  const verdict = await checkTotp({ secretBase32, code, now: context.clock.now() }, used);
  if (verdict.kind === "right") return verdict;
  const refused = { kind: "refused", clockOffSeconds: null } as const;
  if (verdict.kind !== "off") return { ...refused, reason: verdict.kind };
  const noted = noteWrongStep(wrongSteps, { step: verdict.step, offset: verdict.offset });
  await keepWrongSteps(context, setUp, noted.wrongSteps);
  return { ...refused, reason: "wrong", clockOffSeconds: noted.clockOffSeconds };
}
