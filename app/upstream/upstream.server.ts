import type { Config } from "#app/config/config.ts";
import { PROVIDERS, type Provider } from "#app/domain/external-account/providers.ts";
import type { Upstream } from "#app/domain/external-account/upstream.ts";
import type { Clock } from "#app/ports.ts";
import { beginUpstream } from "./begin.server.ts";
import { type ClientAuthentication, fixedSecret, signedSecret } from "./client-authentication.server.ts";
import { discoverOnDemand } from "./discover.server.ts";
import { finishUpstream } from "./finish.server.ts";
import { PROVIDER_TRAITS, type UpstreamProvider } from "./providers.server.ts";

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
    begin: (name, start) => beginUpstream(get(name), start),
    finish: (name, callback) => finishUpstream({ provider: get(name), clock }, callback),
  };
}

function configure(name: Provider, config: Config, clock: Clock): UpstreamProvider | null {
  const authentication = authenticationFor(name, config, clock);
  const client = config[name];
  if (!client || !authentication) return null;
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

function authenticationFor(name: Provider, config: Config, clock: Clock): ClientAuthentication | null {
  if (name === "apple") return config.apple && signedSecret(config.apple, clock);
  const client = config[name];
  return client && fixedSecret(client.clientSecret);
}
