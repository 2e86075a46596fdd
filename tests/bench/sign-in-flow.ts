import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type Browser, createBrowser, type HttpClient, type HttpResponse, redirectOf } from "./http-client.ts";

/** A client application. */
export type Application = { clientId: string; clientSecret: string; redirectUri: string };

/** A user with an IP address of their own. */
export type BenchUser = { username: string; password: string; address: string };

/** A provider, and its way to authenticate users. */
export type Service = {
  issuer: URL;
  authorizationPath: string;
  tokenPath: string;
  application: Application;
  /** Authenticates the user: from the interaction page to the response that redirects back to the provider. */
  identify(browser: Browser, page: URL, user: BenchUser): Promise<HttpResponse>;
};

const tokens = z.object({ access_token: z.string(), id_token: z.string() });
const claims = z.object({ sub: z.string(), aud: z.string(), nonce: z.string() });

/**
 * Performs one sign-in in a new browser, identical for all providers: authorization request (code, PKCE, state, nonce;
 * scopes openid profile email), authentication, callback, token request. No consent (first-party client), no userinfo
 * request. Resolves to the access token.
 */
export async function signIn(http: HttpClient, service: Service, user: BenchUser): Promise<string> {
  const browser = createBrowser(http, user.address);
  const secrets = { state: token(), nonce: token(), verifier: token() };
  const page = redirectOf(await browser.get(authorizationUrl(service, secrets)));
  const resumed = await browser.get(redirectOf(await service.identify(browser, page, user)));
  const callback = redirectOf(resumed);
  const code = callback.searchParams.get("code");
  if (code === null || callback.searchParams.get("state") !== secrets.state) {
    throw new Error(`The sign-in did not end at the application: ${callback.href}`);
  }
  return exchange(http, service, { code, ...secrets });
}

/** Returns the URL of an authorization request. */
export function authorizationUrl(
  { issuer, authorizationPath, application }: Service,
  { state, nonce, verifier } = { state: token(), nonce: token(), verifier: token() },
): URL {
  const url = new URL(authorizationPath, issuer);
  url.search = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: "code",
    scope: "openid profile email",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state,
    nonce,
  }).toString();
  return url;
}

async function exchange(
  http: HttpClient,
  { issuer, tokenPath, application }: Service,
  { code, verifier, nonce }: { code: string; verifier: string; nonce: string },
): Promise<string> {
  const { clientId, redirectUri } = application;
  const response = await http.send(new URL(tokenPath, issuer), {
    method: "POST",
    headers: {
      authorization: basicAuthorization(application),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }).toString(),
  });
  if (response.status !== 200)
    throw new Error(`The code was not exchanged: ${response.status} ${response.body.slice(0, 500)}`);
  const { id_token, access_token } = tokens.parse(JSON.parse(response.body));
  const payload = claims.parse(JSON.parse(Buffer.from(id_token.split(".")[1] ?? "", "base64url").toString("utf8")));
  if (payload.nonce !== nonce || payload.aud !== clientId) throw new Error("the ID token belongs to another sign-in");
  return access_token;
}

/** Returns the Authorization header of client_secret_basic. */
export function basicAuthorization({ clientId, clientSecret }: Application): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

function token(): string {
  return randomBytes(32).toString("base64url");
}
