import { hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { findTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { keySetUpTitle } from "./setup-key.tsx";
import type { SetUpScreenProps } from "./setup-page.tsx";
import { totpSetUpTitle } from "./setup-totp.tsx";
import { type OpenStep, requireStep, type StepProblem, secondFactorView, stepUrl } from "./verify-page.server.ts";

/** The answer's status, the title and state of the document, and what the screen shows. */
export type SetUpView = { status: number; title: string; state: SecondFactorState } & SetUpScreenProps;

type SetUpInput = { challenge: string; method: string | null; problem?: StepProblem };

/** Refusals after which there is nothing left to set up. */
const ENDS: ReadonlySet<string> = new Set(["factor already registered", "totp not found"]);

/**
 * The page that sets a factor up in the middle of a sign-in.
 * @throws a redirect to the step for who has a factor, or began nothing
 */
export async function setUpView(
  context: LoadContext,
  request: Request,
  { challenge, method, problem }: SetUpInput,
): Promise<SetUpView> {
  if (problem && ENDS.has(problem.error)) {
    return { page: "step", ...(await secondFactorView(context, request, { challenge, problem })) };
  }
  const step = await requireStep(context, challenge, problem);
  const { error: _error, ...refusal } = problem ?? { error: undefined };
  const { state, client, description } = step;
  const t = await textsOf(context, request);
  const status = htmlStatus(state.error);
  if (method === "fido2" && canSetUp(step) && description.keysWork) {
    return { page: "key", status, title: keySetUpTitle(t, state), state, client, ...refusal };
  }
  const secret = canSetUp(step) ? await findTotpSetUp(context, step.pending) : null;
  if (!secret) throw redirect303(stepUrl("/mfa/verify", challenge));
  const qrCode = await drawQrCode(secret.otpauthUri);
  return { page: "totp", status, title: totpSetUpTitle(t, state), state, client, qrCode, ...secret, ...refusal };
}

function canSetUp({ pending, description }: OpenStep): boolean {
  return pending.verified.length === 0 && !hasFactor(description.factors);
}
