import { describePending, type PendingDescription } from "#app/domain/second-factor/describe.server.ts";
import { hasFactor } from "#app/domain/second-factor/factors.server.ts";
import { maySetUp, openSecondFactor, type PendingSignIn } from "#app/domain/second-factor/pending.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import type { RefusalDetails } from "#app/ui/factor-errors.ts";
import type { SecondFactorError, SecondFactorState } from "#app/ui/page-state.ts";
import { type SecondFactorMethod, type SecondFactorScreenProps, secondFactorTitle } from "./verify-page.tsx";

export type SecondFactorView = PageView<SecondFactorState, SecondFactorScreenProps>;

/** What went wrong in the step; `method` is the one the person was at. */
export type StepProblem = Omit<RefusalDetails, "code"> & { error: SecondFactorError };

type StepInput = { challenge: string; method?: string | null | undefined; problem?: StepProblem | undefined };

/** A pending sign-in with a fresh mfa_token, and all that its pages have in common. */
export type OpenStep = {
  pending: PendingSignIn;
  description: PendingDescription;
  state: SecondFactorState;
  client: SecondFactorScreenProps["client"];
};

/** The page that asks for the second factor, or offers to set one up. */
export async function secondFactorView(
  context: LoadContext,
  request: Request,
  { challenge, method: asked, problem }: StepInput,
): Promise<SecondFactorView> {
  const step = await openStep(context, challenge, problem);
  const { error: _error, ...refusal } = problem ?? { error: undefined };
  const method = step.pending ? methodOf(step, asked ?? null) : "continue";
  const { factors, displayName, keysWork } = step.description ?? NOBODY;
  return {
    status: htmlStatus(step.state.error),
    title: secondFactorTitle(await textsOf(context, request), step.state, method),
    state: step.state,
    client: step.client,
    method,
    name: displayName,
    keysWork,
    recoveryCodesLeft: factors.recoveryCodesLeft,
    supportContact: context.config.supportContact,
    ...refusal,
  };
}

const NOBODY: Omit<PendingDescription, "username"> = {
  displayName: "",
  keysWork: false,
  factors: { totp: false, securityKeys: 0, recoveryCodesLeft: 0 },
};

/**
 * The open step behind a challenge, for pages that make no sense without one.
 * @throws a redirect to the page that says why there is none
 */
export async function requireStep(context: LoadContext, challenge: string, problem?: StepProblem): Promise<OpenStep> {
  const step = await openStep(context, challenge, problem);
  if (step.pending) return step;
  throw redirect303(stepUrl("/mfa/verify", challenge));
}

/** The address of a page of the step. */
export function stepUrl(path: "/mfa/verify" | "/mfa/setup" | "/mfa/recovery-codes", challenge: string): string {
  return `${path}?${new URLSearchParams({ login_challenge: challenge })}`;
}

/** The sign-in form that asks for a proof of identity before a first factor is set up. */
function proofUrl(challenge: string, username: string): string {
  return `/login/native?${new URLSearchParams({ login_challenge: challenge, proceed: "0", username })}`;
}

/**
 * The request that a page or form of the step is for.
 * @throws a redirect to the sign-in page where it is not open (any more): that one knows a way on
 */
export async function requireOpenRequest(context: LoadContext, challenge: string): Promise<OpenRequest> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.answeredUrl !== null) {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  context.allowFormTarget(found.request.redirectUri);
  return found.request;
}

async function openStep(
  context: LoadContext,
  challenge: string,
  problem: StepProblem | undefined,
): Promise<OpenStep | (Pick<OpenStep, "state" | "client"> & { pending: null; description: null })> {
  const request = await requireOpenRequest(context, challenge);
  const opened = await openSecondFactor(context, { uid: request.uid, browser: context.browser });
  const client = clientLabel(request.client);
  const facts = {
    loginChallenge: challenge,
    xsrfToken: issueXsrf(context, bindingOf(context, await context.session())),
  };
  if (!opened) {
    const none = { totpRegistered: false, totp_registered: false, fido2Registered: false, token: "" };
    return { pending: null, description: null, client, state: { ...none, ...facts, error: "unauthorized" } };
  }
  const { pending, mfaToken: token } = opened;
  const description = await describePending(context, pending);
  const isSetUp = pending.verified.length === 0 && !hasFactor(description.factors);
  if (isSetUp && !maySetUp(pending, context.clock.now())) throw redirect303(proofUrl(challenge, description.username));
  const { totp, securityKeys } = description.factors;
  const state = {
    ...{ totpRegistered: totp, totp_registered: totp, fido2Registered: securityKeys > 0 },
    ...facts,
    token,
    ...(problem ? { error: problem.error } : {}),
  };
  return { pending, description, client, state };
}

/** What the page asks for: what the person chose, where they have it, else what there is. */
function methodOf({ pending, description }: OpenStep, asked: string | null): SecondFactorMethod {
  const { factors, keysWork } = description;
  if (pending.verified.length > 0) return "continue";
  if (!hasFactor(factors)) return "set-up";
  if (asked === "recovery" && factors.recoveryCodesLeft > 0) return "recovery";
  if (!factors.totp) return "fido2";
  if (factors.securityKeys === 0) return "totp";
  if (asked === "totp" || (asked === "fido2" && keysWork)) return asked;
  return "choose";
}
