import { fetchUserInfo, refreshTokenGrant, tokenIntrospection, tokenRevocation } from "openid-client";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "#app/cli/doctor/check.server.ts";
import type { TrialTokens } from "./sign-in.server.ts";
import { describeFailure, type Trial } from "./trial.server.ts";

type Input = { trial: Trial; tokens: TrialTokens };

/** Checks of the tokens of a sign-in. The last one revokes them. */
export const TOKEN_CHECKS: readonly Check<Input>[] = [
  { name: "claims", run: checkClaims },
  { name: "granted scopes", run: checkGrantedScopes },
  { name: "introspection", run: checkIntrospection },
  { name: "refresh", run: checkRefresh },
  { name: "revocation", run: revoke },
];

/** Prints names only: the values are personal data. */
async function checkClaims({ trial, tokens: { response, sub } }: Input): Promise<CheckResult> {
  const claims = await fetchUserInfo(trial.provider, response.access_token, sub);
  return ok(`the userinfo endpoint returns ${Object.keys(claims).join(" ")}`);
}

function checkGrantedScopes({ trial, tokens: { response } }: Input): CheckResult {
  const granted = (response.scope ?? trial.scopes.join(" ")).split(" ");
  const missing = trial.scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return ok(granted.join(" "));
  return warning(`${granted.join(" ")}; not granted: ${missing.join(" ")}`, "See the log of the server.");
}

async function checkIntrospection({ trial, tokens: { response } }: Input): Promise<CheckResult> {
  const { active } = await tokenIntrospection(trial.provider, response.access_token);
  if (!active) return failed("the client's own access token is inactive", "Check the clock of this machine.");
  return trial.client.mayIntrospect
    ? ok("active; the client may introspect all access tokens")
    : ok("active; the client may introspect its own tokens only, those of other clients with --may-introspect");
}

async function checkRefresh({ trial, tokens }: Input): Promise<CheckResult> {
  const { refresh_token: refreshToken } = tokens.response;
  if (refreshToken === undefined) {
    const isRequested = trial.scopes.some((scope) => scope === "offline" || scope === "offline_access");
    return isRequested
      ? failed("no refresh token was issued", "See the log of the server.")
      : skipped("neither offline nor offline_access is requested: there is no refresh token");
  }
  const rotated = await refreshTokenGrant(trial.provider, refreshToken);
  if (rotated.refresh_token !== undefined) await tokenRevocation(trial.provider, rotated.refresh_token);
  return ok("the refresh token returns a new one, which the application must store each time");
}

async function revoke({ trial, tokens: { response } }: Input): Promise<CheckResult> {
  try {
    for (const token of [response.refresh_token, response.access_token]) {
      if (token !== undefined) await tokenRevocation(trial.provider, token);
    }
  } catch (error) {
    return failed(describeFailure(error), "The tokens of this trial expire by themselves.");
  }
  return ok("the tokens of this trial are revoked; the browser stays signed in");
}
