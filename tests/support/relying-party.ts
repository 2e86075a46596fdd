import { createHash, randomBytes } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyResult, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { noteAuthorization, noteJson, noteParameters } from "./sent-secrets.ts";

/** Request parameters; undefined omits a default, a list sends its name several times. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An authorization request and its secrets. */
export type AuthorizationRequest = {
  url: string;
  parameters: Parameters;
  state: string;
  nonce: string;
  /** The PKCE verifier (RFC 7636 §4.1). */
  verifier: string;
};

/** A response to an API call. */
export type ApiResponse = {
  status: number;
  headers: Headers;
  body: string;
  json(): Record<string, unknown>;
  /** The member `error`; null if there is none. */
  error(): string | null;
};

/** Tokens of a token response. */
export type Tokens = {
  accessToken: string;
  idToken: string;
  /** "" if none was issued. */
  refreshToken: string;
  scope: string;
  expiresInSeconds: number;
};

export type AuthMethod = "basic" | "post" | "jwt" | "none";

/** An OpenID Connect client that can also send malicious requests. Without cookies. */
export type RelyingParty = {
  clientId: string;
  redirectUri: string;
  /** Creates an authorization code request with PKCE, state and nonce; `changes` override parameters. */
  request(changes?: Parameters): AuthorizationRequest;
  /** Exchanges a code. */
  exchange(code: string, request: AuthorizationRequest, changes?: Parameters): Promise<ApiResponse>;
  refresh(refreshToken: string, changes?: Parameters): Promise<ApiResponse>;
  introspect(token: string, changes?: Parameters): Promise<ApiResponse>;
  revoke(token: string, changes?: Parameters): Promise<ApiResponse>;
  /** Pushes an authorization request (RFC 9126). */
  push(request: AuthorizationRequest, changes?: Parameters): Promise<ApiResponse>;
  userinfo(accessToken: string): Promise<ApiResponse>;
  /** Returns the end_session URL, with client_id by default. */
  logoutUrl(parameters?: Parameters): string;
  /** Posts a form with client authentication. */
  post(path: string, fields: Parameters): Promise<ApiResponse>;
  /** Verifies signature, issuer, audience and times of an ID token. Throws if one is wrong. */
  verifyIdToken(idToken: string): Promise<JWTVerifyResult>;
};

type RelyingPartyInput = {
  /** Issuer URL of the provider. */
  issuer: string;
  client: { clientId: string; clientSecret: string | null; redirectUri: string };
  /** Client authentication; default: client_secret_basic, or none without a secret. */
  authMethod?: AuthMethod;
};

export function createRelyingParty({ issuer, client, authMethod }: RelyingPartyInput): RelyingParty {
  const { clientId, clientSecret, redirectUri } = client;
  const method = authMethod ?? (clientSecret === null ? "none" : "basic");

  async function post(path: string, fields: Parameters) {
    const proof = await proofOf(method, { clientId, clientSecret: clientSecret ?? "", issuer });
    return sendApiRequest(`${issuer}${path}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...proof.headers },
      body: encodeParameters({ ...proof.fields, ...fields }),
    });
  }

  const request: RelyingParty["request"] = (changes = {}) =>
    createRequest(`${issuer}${ENGINE_ROUTES.authorization}`, {
      clientId,
      redirectUri,
      changes,
    });

  return {
    clientId,
    redirectUri,
    post,
    request,
    exchange: (code, { verifier }, changes) =>
      post(ENGINE_ROUTES.token, {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...changes,
      }),
    refresh: (token, changes) =>
      post(ENGINE_ROUTES.token, { grant_type: "refresh_token", refresh_token: token, ...changes }),
    introspect: (token, changes) => post(ENGINE_ROUTES.introspection, { token, ...changes }),
    revoke: (token, changes) => post(ENGINE_ROUTES.revocation, { token, ...changes }),
    push: ({ parameters }, changes) => post(ENGINE_ROUTES.pushed_authorization_request, { ...parameters, ...changes }),
    userinfo: (token) =>
      sendApiRequest(`${issuer}${ENGINE_ROUTES.userinfo}`, { headers: { authorization: `Bearer ${token}` } }),
    logoutUrl: (parameters) =>
      `${issuer}${ENGINE_ROUTES.end_session}?${encodeParameters({ client_id: clientId, ...parameters })}`,
    verifyIdToken: async (idToken) =>
      jwtVerify(idToken, createLocalJWKSet(await fetchKeys(issuer)), { issuer, audience: clientId }),
  };
}

/** Sends a request without cookies; redirects are not followed. */
export async function sendApiRequest(url: string, options: RequestInit = {}): Promise<ApiResponse> {
  const response = await fetch(url, { redirect: "manual", ...options });
  const body = await response.text();
  noteAuthorization(new Headers(options.headers).get("authorization"));
  if (typeof options.body === "string") noteSent(options.body);
  noteJson(body);
  const json = () => z.record(z.string(), z.unknown()).parse(JSON.parse(body));
  return {
    status: response.status,
    headers: response.headers,
    body,
    json,
    error: () => z.string().nullable().default(null).parse(json().error),
  };
}

function noteSent(body: string): void {
  if (body.startsWith("{")) noteJson(body);
  else noteParameters(body);
}

const tokenResponse = z.object({
  token_type: z.literal("Bearer"),
  access_token: z.string().min(20),
  id_token: z.string().min(20),
  refresh_token: z.string().default(""),
  scope: z.string(),
  expires_in: z.number(),
});

/** Returns the tokens of a response. Throws if it has none. */
export function readTokens(response: ApiResponse): Tokens {
  if (response.status !== 200) throw new Error(`expected tokens, got ${response.status}: ${response.body}`);
  const { access_token, id_token, refresh_token, scope, expires_in } = tokenResponse.parse(response.json());
  return {
    accessToken: access_token,
    idToken: id_token,
    refreshToken: refresh_token,
    scope,
    expiresInSeconds: expires_in,
  };
}

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string(), use: z.string() })),
});

/** Fetches the provider's JWKS. */
export async function fetchKeys(issuer: string): Promise<z.output<typeof keySet> & JSONWebKeySet> {
  const { jwks } = ENGINE_ROUTES;
  return keySet.parse((await sendApiRequest(`${issuer}${jwks}`)).json());
}

/** Encodes parameters for a query or form. */
export function encodeParameters(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Returns the S256 challenge of a PKCE verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function createRequest(
  endpoint: string,
  { clientId, redirectUri, changes }: { clientId: string; redirectUri: string; changes: Parameters },
): AuthorizationRequest {
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid",
    state,
    nonce,
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    ...changes,
  };
  return { url: `${endpoint}?${encodeParameters(parameters)}`, parameters, state, nonce, verifier };
}

type Proof = { headers?: Record<string, string>; fields?: Parameters };

async function proofOf(
  method: AuthMethod,
  { clientId, clientSecret, issuer }: { clientId: string; clientSecret: string; issuer: string },
): Promise<Proof> {
  switch (method) {
    case "basic": {
      // Both parts are form-encoded first (RFC 6749 §2.3.1).
      const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
    }
    case "post":
      return { fields: { client_id: clientId, client_secret: clientSecret } };
    case "jwt":
      return { fields: { client_id: clientId, ...(await assertion({ clientId, clientSecret, issuer })) } };
    case "none":
      return { fields: { client_id: clientId } };
  }
}

/** Creates a client assertion signed with the client secret (RFC 7523 §3). */
async function assertion(input: { clientId: string; clientSecret: string; issuer: string }): Promise<Parameters> {
  const signed = await new SignJWT({ jti: randomText() })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(input.clientId)
    .setSubject(input.clientId)
    .setAudience(input.issuer)
    .setIssuedAt()
    .setExpirationTime("1m")
    .sign(Buffer.from(input.clientSecret));
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: signed,
  };
}

function randomText() {
  return randomBytes(32).toString("base64url");
}
