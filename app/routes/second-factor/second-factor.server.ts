import { assertNever } from "#app/domain/base/assert-never.ts";
import { canGiveFactor, countKeys } from "#app/domain/factor/factors.server.ts";
import { maySetUp, openSecondFactor, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { mayRememberDevice } from "#app/domain/remembered-device/remember.server.ts";
import { describePending, type PendingDescription } from "#app/domain/second-factor/describe.server.ts";
import type { CodeResult } from "#app/domain/second-factor/verify-code.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, throttledDetails } from "#app/http/reply.server.ts";
import { keepTypedUsername } from "#app/http/typed-username.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { storeInteraction } from "#app/oidc/interaction-result.server.ts";
import type { RefusalDetails } from "#app/ui/factor-errors.ts";
import type { SecondFactorError, SecondFactorState } from "#app/ui/page-state.ts";
import { keptNameHref } from "#app/ui/sign-in-request.ts";
import { type VerifyMethod, type VerifyPageProps, verifyTitle } from "./verify-page.tsx";

/** The error of a refused form, with its details. */
export type StepProblem = Omit<RefusalDetails, "code"> & { error: SecondFactorError };

/** `method`: the method that the user selected, in the query or in the refused form. */
type StepInput = {
  challenge: string;
  method?: string | null | undefined;
  problem?: StepProblem | undefined;
  /** The refused form asked to remember the device. */
  remembersDevice?: boolean;
};

/** A pending sign-in with a fresh mfa_token, and the data that all its pages share. */
export type OpenStep = {
  pending: PendingSignIn;
  description: PendingDescription;
  /** The user has no factor yet, and sets one up in this step. */
  isSetUp: boolean;
  state: SecondFactorState;
  client: VerifyPageProps["client"];
  /** Days for which the page offers to remember the device; null if it does not. */
  rememberDays: number | null;
};

/** Loads the page that asks for the second factor or offers to set one up. */
export async function loadVerifyPage(
  context: LoadContext,
  request: Request,
  { challenge, method: selected, problem, remembersDevice = false }: StepInput,
): Promise<PageView<SecondFactorState, VerifyPageProps>> {
  const step = await openStep(context, challenge, problem);
  const { error: _error, ...refusal } = problem ?? { error: undefined };
  const method = step.pending ? selectMethod(step, selected ?? null) : "continue";
  const { factors, displayName, keysWork } = step.description ?? NO_USER;
  const rememberDays = step.pending ? step.rememberDays : null;
  return {
    status: htmlStatus(step.state.error),
    title: verifyTitle(await textsOf(context, request), step.state, method),
    state: step.state,
    client: step.client,
    method,
    name: displayName,
    keysWork,
    hasPasskeys: factors.passkeys > 0,
    recoveryCodesLeft: factors.recoveryCodesLeft,
    supportContact: context.config.supportContact,
    remember: rememberDays === null ? null : { days: rememberDays, isChecked: remembersDevice },
    ...refusal,
  };
}

const NO_USER: Omit<PendingDescription, "username"> = {
  displayName: "",
  keysWork: false,
  defaultFactor: null,
  factors: { totp: false, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 },
};

/**
 * Returns the method to show: the selected one if it is registered, else the user's default, else one that is. Before a
 * passkey, the code: a user with a passkey at hand signs in by it, without the password.
 */
function selectMethod({ pending, description, isSetUp }: OpenStep, selected: string | null): VerifyMethod {
  const { factors, keysWork, defaultFactor } = description;
  if (pending.verified.length > 0) return "continue";
  if (isSetUp) return "set-up";
  if (selected === "recovery" && factors.recoveryCodesLeft > 0) return "recovery";
  if (!factors.totp) return "fido2";
  if (countKeys(factors) === 0) return "totp";
  const preferred = factors.securityKeys === 0 ? "totp" : defaultFactor;
  const method = selected === "totp" || selected === "fido2" ? selected : preferred;
  if (method === "totp" || (method === "fido2" && keysWork)) return method;
  return "choose";
}

/**
 * Returns the open step of a challenge, for pages that need one.
 * @throws a redirect to /mfa/verify, which shows the reason, if no sign-in is pending
 */
export async function requireStep(context: LoadContext, challenge: string, problem?: StepProblem): Promise<OpenStep> {
  const step = await openStep(context, challenge, problem);
  if (step.pending) return step;
  throw redirect303(stepUrl("/mfa/verify", challenge));
}

async function openStep(
  context: LoadContext,
  challenge: string,
  problem: StepProblem | undefined,
): Promise<OpenStep | (Pick<OpenStep, "state" | "client"> & { pending: null; description: null })> {
  const request = await requireOpenRequest(context, challenge);
  const opened = await openSecondFactor(context, { uid: request.uid, browser: context.browser });
  const client = clientLabel(request.client);
  const formFields = {
    loginChallenge: challenge,
    xsrfToken: await issueFormToken(context),
  };
  if (!opened) {
    const none = { totpRegistered: false, totp_registered: false, fido2Registered: false, token: "" };
    return { pending: null, description: null, client, state: { ...none, ...formFields, error: "unauthorized" } };
  }
  await storeInteraction(context, request.interaction);
  const { pending, mfaToken: token } = opened;
  const description = await describePending(context, pending);
  const isSetUp = pending.verified.length === 0 && !canGiveFactor(description.factors, context.config);
  if (isSetUp && !maySetUp(pending, context.clock.now())) {
    throw await redirectToProof(context, challenge, description.username);
  }
  const { totp } = description.factors;
  const state = {
    ...{ totpRegistered: totp, totp_registered: totp, fido2Registered: countKeys(description.factors) > 0 },
    ...formFields,
    token,
    ...(problem ? { error: problem.error } : {}),
  };
  const mayRemember = !request.demandsFreshFactor && (await mayRememberDevice(context, pending));
  const rememberDays = mayRemember ? context.config.mfaRememberDays : null;
  return { pending, description, isSetUp, client, state, rememberDays };
}

/**
 * Returns the authorization request that a page or form of the step belongs to.
 * @throws a redirect to /login, which offers the next step, if the request is not open
 */
export async function requireOpenRequest(context: LoadContext, challenge: string): Promise<OpenRequest> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.resumeUrl !== null) {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  context.allowFormsToLeave();
  return found.request;
}

/** Returns the URL of a page of the step. */
export function stepUrl(path: "/mfa/verify" | "/mfa/setup" | "/mfa/recovery-codes", challenge: string): string {
  return `${path}?${new URLSearchParams({ login_challenge: challenge })}`;
}

/**
 * Returns the redirect to the sign-in form that reauthenticates the user before a first factor is set up, or a lost one
 * is reset.
 */
export async function redirectToProof(context: LoadContext, challenge: string, username: string): Promise<Response> {
  return redirect303(keptNameHref(challenge), await keepTypedUsername(context, { username, challenge }));
}

/** Returns the problem and the response headers of a throttled attempt. */
export function throttledProblem(throttled: { retryAfterSeconds: number }): [StepProblem, Record<string, string>] {
  const [details, headers] = throttledDetails(throttled);
  return [{ error: "throttled", ...details }, headers];
}

/** Returns the problem of a rejected code. */
export function codeProblem(result: Exclude<CodeResult, { kind: "verified" | "throttled" }>): StepProblem {
  switch (result.kind) {
    // Another tab has replaced the mfa_token: the form is shown again with the current one.
    case "unauthorized":
      return { error: "xsrf" };
    case "malformed":
      return { error: "invalid verification code", refusal: "malformed" };
    // The form also takes recovery codes: a code that is none is a wrong one.
    case "totp not found":
      return { error: "invalid verification code", refusal: "wrong" };
    case "refused": {
      const { reason: refusal, clockOffSeconds } = result;
      return { error: "invalid verification code", refusal, clockOffSeconds };
    }
    default:
      return assertNever(result);
  }
}
