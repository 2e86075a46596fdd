import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type TokenEndpointResponse,
} from "openid-client";
import { z } from "zod";
import { type CheckResult, failed, ok } from "#app/cli/doctor/check.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { describeAccess } from "#app/domain/client/access.ts";
import { NO_ACCESS_DESCRIPTION, NO_ACCESS_PATH } from "#app/oidc/no-access.ts";
import { openClient } from "./open-client.ts";
import { describeFailure, responseParameters, type Trial } from "./trial.server.ts";

/** An authorization request that waits for a user. */
export type SignInRequest = { url: string; redirectUri: string; state: string; nonce: string; codeVerifier: string };

/** Tokens of a sign-in, and the user's identifier. */
export type TrialTokens = { response: TokenEndpointResponse; sub: string };

/** Returns the redirect URI of the sign-in; null if there is none that openid-client supports. */
export function trialRedirectUri({ redirectUris }: Trial): string | null {
  // openid-client derives the redirect URI of the token request from the response: without query, in canonical spelling.
  const isCanonical = (uri: string) => URL.canParse(uri) && new URL(uri).href === uri && !uri.includes("?");
  return redirectUris.find(isCanonical) ?? null;
}

/**
 * Creates the authorization request. With response_mode=fragment, if the client may use it, the browser does not send
 * the code to the application, and it stays in the address bar.
 */
export async function createSignInRequest(trial: Trial, redirectUri: string): Promise<SignInRequest> {
  const { client, provider, scopes } = trial;
  const [state, nonce, codeVerifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
  const mode = client.responseModes === null || client.responseModes.includes("fragment") ? "fragment" : "query";
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    response_mode: mode,
    ...(scopes.includes("offline_access") ? { prompt: "consent" } : {}),
  });
  return { url: url.href, redirectUri, state, nonce, codeVerifier };
}

/**
 * Finishes the sign-in with the address at which the browser has arrived: exchanges the code, and validates `iss`,
 * `state`, and the ID token with its signature and `nonce`.
 */
export async function finishSignIn(
  trial: Trial,
  request: SignInRequest,
  address: string,
): Promise<{ result: CheckResult; tokens: TrialTokens | null }> {
  const refused = (found: string, fix: string) => ({ result: failed(found, fix), tokens: null });
  if (!URL.canParse(address)) return refused("the entered text is not an address", PASTE);
  const arrived = new URL(address);
  const parameters = responseParameters(arrived);
  const error = parameters.get("error");
  const isPageWithoutAccess = address.startsWith(trial.issuer) && arrived.pathname.endsWith(NO_ACCESS_PATH);
  if (isPageWithoutAccess || parameters.get("error_description") === NO_ACCESS_DESCRIPTION) {
    const access = `the client is open to ${describeAccess(trial.client)}, and this user is not a member`;
    return refused(access, `Sign in as a member, or add the user to a group. ${openClient(trial.client.id)}`);
  }
  if (error !== null) {
    const description = printable(parameters.get("error_description") ?? "", MAX_DESCRIPTION);
    return refused(`the response is ${printable(error)}: ${description}`, "The log of the server has the reason.");
  }
  if (!address.startsWith(request.redirectUri)) return refused("the browser is not at the redirect URI", PASTE);
  try {
    const url = new URL(request.redirectUri);
    url.search = parameters.toString();
    const response = await authorizationCodeGrant(trial.provider, url, {
      expectedState: request.state,
      expectedNonce: request.nonce,
      pkceCodeVerifier: request.codeVerifier,
      idTokenExpected: true,
    });
    const { sub, amr = [], acr = "" } = idToken.parse(response.claims());
    const found = `the ID token is valid: sub ${sub}, amr ${amr.join(" ")}, acr ${acr}`;
    return { result: ok(found), tokens: { response, sub } };
  } catch (failure) {
    return refused(describeFailure(failure), EXCHANGE);
  }
}

const idToken = z.object({ sub: z.string(), amr: z.array(z.string()).optional(), acr: z.string().optional() });

const MAX_DESCRIPTION = 200;

const PASTE = "Enter the whole address of the page at which the browser arrives after the sign-in.";

const EXCHANGE =
  "A code is valid for 60 s and once: enter the address at once. If the application has redeemed it, it does not check state.";
