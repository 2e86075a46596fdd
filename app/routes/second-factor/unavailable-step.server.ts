import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { type VerifyMethod, type VerifyPageProps, verifyTitle } from "./verify-page.tsx";

/** The posted fields that every form of the step has. */
export type PostedStep = { login_challenge: string; mfa_token: string; _xsrf: string };

type PostedCode = PostedStep & { method: string; code?: string | undefined; remember_device?: string | undefined };

/**
 * Returns the state of a page of the step while the database is unavailable, from the posted fields alone. Challenge and
 * tokens are checked when the form is sent again.
 */
export function unavailableState(context: LoadContext, posted: PostedStep): SecondFactorState {
  context.allowFormsToLeave();
  return {
    ...{ totpRegistered: false, totp_registered: false, fido2Registered: false },
    loginChallenge: posted.login_challenge,
    xsrfToken: posted._xsrf,
    token: posted.mfa_token,
    error: "overloaded",
  };
}

/** Loads the form that was posted to /mfa/verify, or the choice of a first factor, while the database is unavailable. */
export async function loadUnavailableStep(
  context: LoadContext,
  request: Request,
  posted: PostedCode,
  method = methodOf(posted),
): Promise<PageView<SecondFactorState, VerifyPageProps>> {
  const state = unavailableState(context, posted);
  const { mfaRememberDays: days, supportContact, issuer } = context.config;
  return {
    status: htmlStatus(state.error),
    title: verifyTitle(await textsOf(context, request), state, method),
    state,
    client: null,
    method,
    name: "",
    keysWork: findRelyingParty(issuer) !== null,
    recoveryCodesLeft: 0,
    supportContact,
    remember: posted.remember_device === undefined ? null : { days, isChecked: true },
  };
}

/** Without a code, a factor was verified by a JSON call. */
function methodOf({ code, method }: PostedCode): VerifyMethod {
  if (code === undefined) return "continue";
  return method === "recovery" ? "recovery" : "totp";
}
