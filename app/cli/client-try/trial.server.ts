import {
  AuthorizationResponseError,
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import type { ClientView } from "#app/domain/client/show.server.ts";

/** Timeout of each request, in seconds. */
const TIMEOUT_SECONDS = 10;

/** A trial of a client: its registration, and what an application with this client sends. */
export type Trial = {
  issuer: string;
  client: ClientView;
  /** openid-client's configuration, from the discovery document. */
  provider: Configuration;
  redirectUris: readonly string[];
  scopes: readonly string[];
  /** The origin of the client secret; null for public clients. */
  secretFrom: "this installation" | "CLIENT_SECRET" | null;
};

/** Loads the discovery document from ISSUER, as an application does. Rejects with an error of openid-client or fetch. */
export async function discoverProvider(
  issuer: string,
  client: ClientView,
  secret: string | null,
): Promise<Configuration> {
  const metadata = { id_token_signed_response_alg: client.idTokenAlg };
  return discovery(new URL(issuer), client.id, metadata, authenticationOf(client, secret), {
    timeout: TIMEOUT_SECONDS,
    execute: [enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [allowInsecureRequests] : [])],
  });
}

function authenticationOf({ authMethod }: ClientView, secret: string | null) {
  if (secret === null) return None();
  switch (authMethod) {
    case "client_secret_post":
      return ClientSecretPost(secret);
    case "client_secret_jwt":
      return ClientSecretJwt(secret);
    default:
      return ClientSecretBasic(secret);
  }
}

/** Sends a request like a browser without cookies; does not follow redirects. */
export async function send(url: URL | string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000), ...init });
}

/** Returns the parameters of an authorization response: those of the query, or of the fragment. */
export function responseParameters(url: URL): URLSearchParams {
  const fragment = new URLSearchParams(url.hash.slice(1));
  return fragment.has("state") || fragment.has("error") ? fragment : url.searchParams;
}

/** Returns the OAuth error of a failed request of openid-client, or its message, with that of its cause. */
export function describeFailure(error: unknown): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    return [error.error, error.error_description].filter(Boolean).join(": ");
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    const { error: code, error_description: description } = error.cause[0]?.parameters ?? {};
    return [code, description].filter(Boolean).join(": ") || `status ${error.status}`;
  }
  if (!(error instanceof Error)) return "unknown error";
  const cause = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : "";
  return `${error.message}${cause}`;
}
