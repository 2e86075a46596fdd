import type { Provider } from "#app/config/providers.ts";
import type { ExternalClaims, ExternalIdentity } from "./identity.ts";

/** Client for the external providers of this installation; one instance, shared by all requests. */
export type Upstream = {
  /** The configured providers. */
  providers: readonly Provider[];
  /** Those of them that post their authorization response (OAuth 2.0 Form Post Response Mode). */
  postingProviders: readonly Provider[];
  /** Builds the provider's authorization URL. Has no side effect. */
  begin(provider: Provider, start: UpstreamStart): Promise<UpstreamStarted>;
  /** Exchanges the code and validates the ID token. Does not write to the database. */
  finish(provider: Provider, callback: UpstreamCallback): Promise<UpstreamResult>;
};

/**
 * `requestedPrompt`: the prompt to request, where the provider supports it, null for none; `maxAgeSeconds`: maximum age of the
 * sign-in at the provider, null for any.
 */
export type UpstreamStart = {
  state: string;
  nonce: string;
  codeVerifier: string;
  requestedPrompt: UpstreamPrompt | null;
  maxAgeSeconds: number | null;
};

/** Prompt to request from a provider: account selection, or a new sign-in. */
export type UpstreamPrompt = "choose-account" | "sign-in-again";

/** `failed`: the provider is unreachable or not the configured one; `reason` is for the log. */
export type UpstreamStarted = { kind: "away"; url: string } | { kind: "failed"; reason: string };

/** Parameters of the callback, and the secrets of the attempt. */
export type UpstreamCallback = { parameters: URLSearchParams; state: string; nonce: string; codeVerifier: string };

/** Result of the callback from a provider. */
export type UpstreamResult =
  /** `authTime`: `auth_time` in seconds since the epoch; null if the provider gives none. */
  | { kind: "identified"; identity: ExternalIdentity; claims: ExternalClaims; authTime: number | null }
  /** The user cancelled or did not complete the sign-in at the provider. */
  | { kind: "cancelled" }
  /** An error response, a timeout, or an invalid token; `reason` is for the log. */
  | { kind: "failed"; reason: string };
