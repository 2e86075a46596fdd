import { importPKCS8, SignJWT } from "jose";
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  clientCredentialsGrant,
  customFetch,
  genericGrantRequest,
  modifyAssertion,
  PrivateKeyJwt,
} from "openid-client";
import type { MailOauth } from "#app/config/config.ts";
import { MINUTE_MS, MINUTE_SECONDS } from "#app/durations.ts";
import { limitedFetch } from "#app/limited-fetch.server.ts";
import type { Clock } from "#app/ports.ts";
import { TokenError } from "./problem.server.ts";
import { tokenProblemOf } from "./token-problem.server.ts";

/** An access token for the mail server. `isCached`: it was used before. */
export type AccessToken = { value: string; isCached: boolean; endsAt: Date };

/** Issues access tokens. `get` rejects with TokenError; `discard` removes a token that the mail server rejected. */
export type TokenSource = { get(): Promise<AccessToken>; discard(value: string): void };

/** Timeout of a token request. */
const TIMEOUT_SECONDS = 10;

/** A token that ends within this time is replaced: a delivery can take as long. */
const MARGIN_MS = MINUTE_MS;

/** Lifetime of a signed assertion. Each is used for one request. */
const ASSERTION_SECONDS = 5 * MINUTE_SECONDS;

/** RFC 7523 §2.1. */
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Creates a source that caches one token until it ends. Simultaneous deliveries share one request; failures are not
 * cached. `signal` aborts a pending request.
 */
export function createTokenSource(
  oauth: MailOauth,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): TokenSource {
  let cached: AccessToken | null = null;
  let pending: Promise<AccessToken> | null = null;

  async function renew(): Promise<AccessToken> {
    const token = await requestToken(oauth, { clock, signal });
    cached = { ...token, isCached: true };
    return token;
  }

  return {
    async get() {
      if (cached && cached.endsAt.getTime() - MARGIN_MS > clock.now().getTime()) return cached;
      pending ??= renew().finally(() => {
        pending = null;
      });
      return pending;
    },
    discard(value) {
      if (cached?.value === value) cached = null;
    },
  };
}

type RequestDeps = { clock: Clock; signal: AbortSignal };

async function requestToken(oauth: MailOauth, deps: RequestDeps): Promise<AccessToken> {
  try {
    const requestedAt = deps.clock.now().getTime();
    const { access_token: value, expires_in: seconds = 0 } = await sendTokenRequest(oauth, deps);
    return { value, isCached: false, endsAt: new Date(requestedAt + seconds * 1000) };
  } catch (error) {
    throw new TokenError(tokenProblemOf(error, oauth.credential.kind));
  }
}

async function sendTokenRequest(oauth: MailOauth, { clock, signal }: RequestDeps) {
  const { tokenUrl, clientId, scope, credential } = oauth;
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl };
  const client = new Configuration(server, clientId, undefined, await authenticationOf(oauth));
  client.timeout = TIMEOUT_SECONDS;
  client[customFetch] = async (url, { signal: timeout, ...options }) => {
    const response = await limitedFetch(url, {
      ...options,
      signal: timeout ? AbortSignal.any([timeout, signal]) : signal,
    });
    // openid-client reports a challenge without reading the body, which contains the error codes.
    response.headers.delete("www-authenticate");
    return response;
  };
  // The configuration accepts http for this machine only.
  if (tokenUrl.startsWith("http:")) allowInsecureRequests(client);
  if (credential.kind !== "service account") return clientCredentialsGrant(client, { scope });
  return genericGrantRequest(client, JWT_BEARER, { assertion: await signGrant(oauth, credential, clock) });
}

async function authenticationOf({ tokenUrl, credential }: MailOauth): Promise<ClientAuth> {
  switch (credential.kind) {
    case "secret":
      return ClientSecretPost(credential.secret);
    case "certificate":
      // https://learn.microsoft.com/entra/identity-platform/certificate-credentials
      return PrivateKeyJwt(await importPKCS8(credential.privateKey, "PS256"), {
        [modifyAssertion](header, payload) {
          Object.assign(header, { typ: "JWT", "x5t#S256": credential.thumbprint });
          Object.assign(payload, { aud: tokenUrl });
        },
      });
    case "service account":
      // The grant itself is signed and names the client.
      return () => undefined;
  }
}

type ServiceAccount = Extract<MailOauth["credential"], { kind: "service account" }>;

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
async function signGrant(oauth: MailOauth, { privateKey, keyId }: ServiceAccount, clock: Clock): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  return new SignJWT({ scope: oauth.scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: keyId })
    .setIssuer(oauth.clientId)
    .setSubject(oauth.mailbox)
    .setAudience(oauth.tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(await importPKCS8(privateKey, "RS256"));
}
