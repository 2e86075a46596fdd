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

const tokens = z.object({ access_token: z.string(), id_token: z.string(), refresh_token: z.string().optional() });
const claims = z.object({ sub: z.string(), aud: z.string(), nonce: z.string() });

/** Tokens of a sign-in; `refreshToken` is empty without one. */
export type Tokens = { accessToken: string; refreshToken: string };

/** A browser, and the scope of its authorization requests. */
type SignInOptions = { browser?: Browser; scope?: string };

/**
 * Performs one sign-in in a new browser, identical for all providers: authorization request (code, PKCE, state, nonce),
 * authentication, callback, token request. No consent (first-party client), no userinfo request.
 */
export async function signIn(
  http: HttpClient,
  service: Service,
  user: BenchUser,
  { browser = createBrowser(http, user.address), scope }: SignInOptions = {},
): Promise<Tokens> {
  const secrets = newSecrets();
  const page = redirectOf(await browser.get(authorizationUrl(service, secrets, scope)));
  const resumed = await browser.get(redirectOf(await service.identify(browser, page, user)));
  return finish(http, service, resumed, secrets);
}

/** Performs one sign-in of a browser that has a session: authorization request, callback, token request. */
export async function signInAgain(http: HttpClient, service: Service, browser: Browser): Promise<Tokens> {
  const secrets = newSecrets();
  return finish(http, service, await browser.get(authorizationUrl(service, secrets)), secrets);
}

/** Exchanges a refresh token for new tokens. */
export async function refresh(http: HttpClient, service: Service, refreshToken: string): Promise<Tokens> {
  return requestTokens(http, service, { grant_type: "refresh_token", refresh_token: refreshToken });
}

type Secrets = { state: string; nonce: string; verifier: string };

function newSecrets(): Secrets {
  return { state: token(), nonce: token(), verifier: token() };
}

/** Reads the code from the redirect to the application and exchanges it. */
async function finish(http: HttpClient, service: Service, resumed: HttpResponse, secrets: Secrets): Promise<Tokens> {
  const callback = redirectOf(resumed);
  const code = callback.searchParams.get("code");
  if (code === null || callback.searchParams.get("state") !== secrets.state) {
    throw new Error(`The sign-in did not end at the application: ${callback.href}`);
  }
  const { redirectUri } = service.application;
  const { verifier, nonce } = secrets;
  const exchange = { grant_type: "authorization_code", redirect_uri: redirectUri, code, code_verifier: verifier };
  return requestTokens(http, service, exchange, nonce);
}

/** Returns the URL of an authorization request. */
export function authorizationUrl(
  { issuer, authorizationPath, application }: Service,
  { state, nonce, verifier } = newSecrets(),
  scope = "openid profile email",
): URL {
  const url = new URL(authorizationPath, issuer);
  url.search = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: "code",
    scope,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state,
    nonce,
  }).toString();
  return url;
}

async function requestTokens(
  http: HttpClient,
  { issuer, tokenPath, application }: Service,
  body: Readonly<Record<string, string>>,
  nonce?: string,
): Promise<Tokens> {
  const response = await http.send(new URL(tokenPath, issuer), {
    method: "POST",
    headers: {
      authorization: basicAuthorization(application),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(body).toString(),
  });
  if (response.status !== 200) {
    throw new Error(`No tokens were issued: ${response.status} ${response.body.slice(0, 500)}`);
  }
  const { id_token, access_token, refresh_token = "" } = tokens.parse(JSON.parse(response.body));
  const payload = claims.parse(JSON.parse(Buffer.from(id_token.split(".")[1] ?? "", "base64url").toString("utf8")));
  const isOwn = nonce === undefined || payload.nonce === nonce;
  if (!isOwn || payload.aud !== application.clientId) throw new Error("the ID token belongs to another sign-in");
  return { accessToken: access_token, refreshToken: refresh_token };
}

/** Returns the Authorization header of client_secret_basic. */
export function basicAuthorization({ clientId, clientSecret }: Application): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

function token(): string {
  return randomBytes(32).toString("base64url");
}
