import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  randomState,
  tokenIntrospection,
} from "openid-client";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "#app/cli/doctor/check.server.ts";
import { printable } from "#app/domain/base/printable.ts";
import { describeAccess, isClosed } from "#app/domain/client/access.ts";
import { uriDifference } from "#app/domain/client/sent-uri.ts";
import { refusedScopes } from "#app/domain/scope/scopes.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { openClient } from "./open-client.ts";
import { describeFailure, responseParameters, send, type Trial } from "./trial.server.ts";

/** Returns the checks that need no user, in the order of a sign-in. */
export function registrationChecks({ client, redirectUris }: Trial): Check<Trial>[] {
  return [
    ...redirectUris.map((uri) => ({
      name: `redirect URI ${printable(uri, MAX_SHOWN)}`,
      run: (trial: Trial) => checkRedirectUri(trial, uri),
    })),
    ...(redirectUris.length === 0 ? [] : [{ name: "access", run: checkAccess }]),
    { name: "PKCE", run: checkPkce },
    { name: "scopes", run: checkScopes },
    { name: "client authentication", run: checkAuthentication },
    { name: "CORS", run: checkCors },
    ...(client.postLogoutRedirectUris.length === 0 ? [{ name: "sign-out", run: withoutSignOutUri }] : []),
    { name: "back-channel logout", run: checkBackchannel },
    ...client.postLogoutRedirectUris.map((uri) => ({
      name: `after sign-out ${printable(uri, MAX_SHOWN)}`,
      run: (trial: Trial) => checkSignOutUri(trial, uri),
    })),
  ];
}

const MAX_SHOWN = 200;

/** Sends a request with prompt=none and without a session: an accepted one is redirected with login_required. */
async function checkRedirectUri({ client, provider }: Trial, uri: string): Promise<CheckResult> {
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: uri,
    scope: "openid",
    prompt: "none",
    state: randomState(),
    nonce: randomState(),
    code_challenge: await calculatePKCECodeChallenge(randomPKCECodeVerifier()),
    code_challenge_method: "S256",
    ...(client.responseModes === null ? {} : { response_mode: client.responseModes[0] ?? "" }),
  });
  const response = await send(url);
  const location = response.headers.get("location");
  if (location === null) return checkFormPost(response);
  const target = new URL(location, url);
  const parameters = responseParameters(target);
  const error = parameters.get("error");
  if (error === "login_required") return ok("it is accepted");
  const reason = [error, parameters.get("error_description")].filter(Boolean).join(": ");
  if (error !== "invalid_redirect_uri") {
    return failed(`the request is refused (${reason})`, "See the log of the server.");
  }
  const difference = uriDifference(uri, client.redirectUris);
  return failed(
    `it is refused${difference === null ? "" : `; it differs from the registered one in: ${difference}`}`,
    `Registered: ${client.redirectUris.join(" ")}. Register all: gatehouse client set ${client.id} --redirect-uri URI`,
  );
}

async function checkFormPost(response: Response): Promise<CheckResult> {
  const body = await response.text();
  if (body.includes("login_required")) return ok("it is accepted, with form_post");
  return failed(`the server responds ${response.status} without a redirect`, "Run: gatehouse doctor");
}

function checkAccess({ client }: Trial): CheckResult {
  if (!isClosed(client)) return ok(`open to ${describeAccess(client)}`);
  return failed("open to no group, so that no user may use it", openClient(client.id));
}

function checkPkce({ client }: Trial): CheckResult {
  if (client.requirePkce) {
    return ok("required: the application must send code_challenge with code_challenge_method=S256, and code_verifier");
  }
  return warning("not required", `If the application supports it: gatehouse client set ${client.id} --pkce`);
}

function checkScopes({ client, scopes }: Trial): CheckResult {
  const refused = refusedScopes(scopes, client.scopes);
  if (refused.length > 0) {
    const fix = `Register all scopes that it needs: gatehouse client set ${client.id} --scope openid --scope …`;
    return failed(`not registered for the client: ${refused.map((scope) => printable(scope)).join(" ")}`, fix);
  }
  if (!scopes.includes("openid")) return failed("openid is missing: there is no ID token", "Request the scope openid.");
  if (!scopes.includes("offline_access")) return ok(scopes.join(" "));
  return warning(
    `${scopes.join(" ")}; offline_access has an effect with prompt=consent only`,
    "The application must send prompt=consent, as this command does, or request the scope offline instead.",
  );
}

/** Introspects a token that does not exist, which needs the same client authentication as the token endpoint. */
async function checkAuthentication({ client, provider, secretFrom }: Trial): Promise<CheckResult> {
  try {
    await tokenIntrospection(provider, "no-token");
  } catch (error) {
    return failed(
      `${client.authMethod} with the secret of ${secretFrom} is refused (${describeFailure(error)})`,
      `Correct the secret in the application, or create a new one: gatehouse client rotate-secret ${client.id}`,
    );
  }
  if (secretFrom === null) return ok("none: the client is public");
  return ok(`${client.authMethod} with the secret of ${secretFrom} is accepted`);
}

async function checkCors({ issuer, client, redirectUris }: Trial): Promise<CheckResult> {
  if (!client.public) {
    return skipped("a client with a secret gets no CORS headers; register a browser application with --public");
  }
  const origins = [...new Set(redirectUris.filter(isWeb).map((uri) => new URL(uri).origin))];
  if (origins.length === 0) return skipped("the client has no web address");
  for (const origin of origins) {
    const body = new URLSearchParams({ grant_type: "authorization_code", code: "no-code", client_id: client.id });
    const response = await send(issuer + ENGINE_ROUTES.token, { method: "POST", headers: { origin }, body });
    if (response.headers.get("access-control-allow-origin") === origin) continue;
    const fix = "Register a redirect URI of this origin. If there is one, a proxy removes the header: check it.";
    return failed(`scripts of ${printable(origin)} cannot read the responses of the token endpoint`, fix);
  }
  return ok(`scripts of ${origins.join(" ")} can read the responses of the token endpoint`);
}

function isWeb(uri: string): boolean {
  return /^https?:/.test(uri) && URL.canParse(uri);
}

function withoutSignOutUri({ client }: Trial): CheckResult {
  return skipped(`it ends at Gatehouse's page; to return: client set ${client.id} --post-logout-redirect-uri URI`);
}

/** Requests a sign-out without a session, which is redirected at once if the URI is registered. Ends no session. */
async function checkSignOutUri({ issuer, client }: Trial, uri: string): Promise<CheckResult> {
  const query = new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: uri });
  const response = await send(`${issuer}${ENGINE_ROUTES.end_session}?${query}`);
  const location = response.headers.get("location") ?? "";
  if (URL.canParse(location) && new URL(location).href === new URL(uri).href) return ok("it is accepted");
  return failed(`the sign-out leads to ${printable(location, MAX_SHOWN) || "no page"}`, "See the log of the server.");
}

/** Posts no logout token: the application must reject the request (OpenID Connect Back-Channel Logout 1.0 §2.8). */
async function checkBackchannel({ client: { id, backchannelLogoutUri: uri } }: Trial): Promise<CheckResult> {
  if (uri === null) {
    return skipped(`the client is not notified; to notify it: client set ${id} --backchannel-logout-uri URI`);
  }
  try {
    const { status } = await send(uri, { method: "POST", body: new URLSearchParams() });
    if (status === 400) return ok(`${uri} rejects a request without token`);
    const isAccepted = status === 200 || status === 204;
    const found = `${uri} responds ${status} to a request without token`;
    return isAccepted
      ? warning(found, "The application must validate the logout token, and respond with 400 if it is not valid.")
      : failed(found, "It must accept POST requests, without a redirect. Correct the URI or the application.");
  } catch (error) {
    return failed(
      `${uri} is not reachable from this machine: ${describeFailure(error)}`,
      "Check the URI and the network.",
    );
  }
}
