import type { ExternalClaims, ExternalIdentity } from "./identity.ts";
import type { Provider } from "./providers.ts";

/** The external providers of this installation; made once, shared by all requests. */
export type Upstream = {
  /** Those that are configured; pages name no others. */
  providers: readonly Provider[];
  /** Makes the address at the provider where a sign-in begins. Changes nothing here. */
  begin(provider: Provider, start: UpstreamStart): Promise<UpstreamBegin>;
  /** Exchanges the code that came back and checks the ID token. Changes nothing here. */
  finish(provider: Provider, answer: UpstreamAnswer): Promise<UpstreamEnd>;
};

/**
 * `asks`: what the provider shall ask the person although it may know them, as far as it can; `maxAgeSeconds`: how long ago
 * the person may have signed in there, null for any time.
 */
export type UpstreamStart = {
  state: string;
  nonce: string;
  codeVerifier: string;
  asks: UpstreamAsk | null;
  maxAgeSeconds: number | null;
};

export type UpstreamAsk = "choose-account" | "sign-in-again";

/** `failed`: the provider is down, or is not the one that was configured; `reason` is for the log. */
export type UpstreamBegin = { kind: "away"; url: string } | { kind: "failed"; reason: string };

/** What came back to the callback, and what the attempt began with. */
export type UpstreamAnswer = { parameters: URLSearchParams; state: string; nonce: string; codeVerifier: string };

export type UpstreamEnd =
  /** `authTime`: when the user signed in there, in seconds since 1970; null where the provider does not say. */
  | { kind: "identified"; identity: ExternalIdentity; claims: ExternalClaims; authTime: number | null }
  /** The user ended the sign-in at the provider, or did not complete a step of it there. */
  | { kind: "cancelled" }
  /** An error of the provider, no answer in time, or a token that is not taken; `reason` is for the log. */
  | { kind: "failed"; reason: string };
