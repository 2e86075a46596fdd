import { buildAuthorizationUrl, calculatePKCECodeChallenge } from "openid-client";
import type { UpstreamPrompt, UpstreamStart, UpstreamStarted } from "#app/domain/external-account/upstream.ts";
import { PROVIDER_TRAITS, type ProviderTraits, type UpstreamProvider } from "./providers.server.ts";
import { reasonOf } from "./reason-of.server.ts";

/** Requests `auth_time` in the ID token (OpenID Connect Core 1.0 §5.5). */
const AUTH_TIME = JSON.stringify({ id_token: { auth_time: { essential: true } } });

/** Builds the authorization URL, with state, nonce and PKCE S256 (OpenID Connect Core 1.0 §3.1.2.1, RFC 7636). */
export async function beginUpstream(provider: UpstreamProvider, start: UpstreamStart): Promise<UpstreamStarted> {
  const { scope, responseMode, prompts }: ProviderTraits = PROVIDER_TRAITS[provider.name];
  try {
    const url = buildAuthorizationUrl(await provider.discover(), {
      redirect_uri: provider.redirectUri,
      scope,
      state: start.state,
      nonce: start.nonce,
      code_challenge: await calculatePKCECodeChallenge(start.codeVerifier),
      code_challenge_method: "S256",
      ...(responseMode ? { response_mode: responseMode } : {}),
      ...promptOf(prompts, start.requestedPrompt),
      claims: AUTH_TIME,
      ...(start.maxAgeSeconds === null ? {} : { max_age: String(start.maxAgeSeconds) }),
    });
    return { kind: "away", url: url.href };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}

function promptOf(prompts: ProviderTraits["prompts"], promptKind: UpstreamPrompt | null): { prompt?: string } {
  if (promptKind === null) return {};
  const prompt = promptKind === "choose-account" ? prompts.chooseAccount : prompts.signInAgain;
  return prompt ? { prompt } : {};
}
