import { buildAuthorizationUrl, calculatePKCECodeChallenge } from "openid-client";
import type { Config, ProviderClient } from "#app/config/config.ts";
import { PROVIDERS, type Provider } from "#app/config/providers.ts";
import type {
  Upstream,
  UpstreamPrompt,
  UpstreamStart,
  UpstreamStarted,
} from "#app/domain/external-account/upstream.ts";
import type { Clock } from "#app/ports.ts";
import { type ClientAuthentication, fixedSecret, signedSecret } from "./client-authentication.server.ts";
import { discoverOnDemand } from "./discover.server.ts";
import { finishUpstream } from "./finish.server.ts";
import { PROVIDER_TRAITS, type ProviderTraits, type UpstreamProvider } from "./providers.server.ts";
import { reasonOf } from "./upstream-error.server.ts";

/** Creates the clients of the configured providers. No request is sent before a sign-in. */
export function createUpstream({ config, clock }: { config: Config; clock: Clock }): Upstream {
  const configured = PROVIDERS.flatMap((name) => configure(name, config, clock) ?? []);
  const get = (name: Provider): UpstreamProvider => {
    const found = configured.find((provider) => provider.name === name);
    if (!found) throw new Error(`${name} is not configured`);
    return found;
  };
  return {
    providers: configured.map(({ name }) => name),
    postingProviders: configured
      .map(({ name }) => name)
      .filter((name) => PROVIDER_TRAITS[name].responseMode === "form_post"),
    begin: (name, start) => beginUpstream(get(name), start),
    finish: (name, callback) => finishUpstream({ provider: get(name), clock }, callback),
  };
}

function configure(name: Provider, config: Config, clock: Clock): UpstreamProvider | null {
  const client = config[name];
  if (!client) return null;
  const authentication = authenticationFor(client, clock);
  const { issuer, clientId } = client;
  const party = { issuer, clientId, idTokenAlg: PROVIDER_TRAITS[name].idTokenAlg, authentication };
  return {
    name,
    clientId,
    redirectUri: new URL(`/login/${name}/callback`, config.issuer).href,
    authentication,
    discover: discoverOnDemand(party, clock),
  };
}

function authenticationFor(client: ProviderClient, clock: Clock): ClientAuthentication {
  return "clientSecret" in client ? fixedSecret(client.clientSecret) : signedSecret(client, clock);
}

/** Requests `auth_time` in the ID token (OpenID Connect Core 1.0 §5.5). */
const AUTH_TIME = JSON.stringify({ id_token: { auth_time: { essential: true } } });

/** Builds the authorization URL, with state, nonce and PKCE S256 (OpenID Connect Core 1.0 §3.1.2.1, RFC 7636). */
async function beginUpstream(provider: UpstreamProvider, start: UpstreamStart): Promise<UpstreamStarted> {
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
