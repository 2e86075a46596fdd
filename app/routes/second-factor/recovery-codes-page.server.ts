import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { type RecoveryCodesScreenProps, recoveryCodesTitle } from "./recovery-codes-page.tsx";
import { requireStep, type StepProblem, stepUrl } from "./verify-page.server.ts";

export type RecoveryCodesView = PageView<SecondFactorState, RecoveryCodesScreenProps>;

type CodesInput = { challenge: string; codes?: string[]; problem?: StepProblem };

/**
 * The page that offers recovery codes after a factor was set up, and shows them, once.
 * @throws a redirect to the step where no factor was set up in it
 */
export async function recoveryCodesView(
  context: LoadContext,
  request: Request,
  { challenge, codes, problem }: CodesInput,
): Promise<RecoveryCodesView> {
  const { pending, description, state, client } = await requireStep(context, challenge, problem);
  if (!pending.setUp) throw redirect303(stepUrl("/mfa/verify", challenge));
  const { productName, timeZone } = context.config;
  return {
    status: htmlStatus(state.error),
    title: recoveryCodesTitle(await textsOf(context, request), state),
    state,
    client,
    codes: codes ?? null,
    username: description.username,
    productName,
    createdAt: context.clock.now(),
    timeZone,
  };
}
