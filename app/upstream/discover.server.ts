import {
  allowInsecureRequests,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import type { Clock } from "#app/ports.ts";
import type { ClientAuthentication } from "./client-authentication.server.ts";
import { limitedFetch } from "./limited-fetch.server.ts";
import { UpstreamError } from "./upstream-error.ts";

/** What a provider is asked with. */
export type UpstreamParty = {
  issuer: string;
  clientId: string;
  idTokenAlg: string;
  authentication: ClientAuthentication;
};

/** A provider's endpoints may change; its keys are looked at more often, by openid-client itself. */
const DISCOVERY_SECONDS = 60 * 60;

/** Longer than this nobody waits for a provider that is down; for each of its answers. */
const TIMEOUT_SECONDS = 4;

/**
 * Reads a provider's discovery document when it is first needed, and once an hour. One that fails is read again at the
 * next sign-in. Its `issuer` must be the configured one letter for letter (OpenID Connect Discovery 1.0 section 4.3).
 * @returns a function that throws UpstreamError or an error of openid-client where the provider cannot be used
 */
export function discoverOnDemand(party: UpstreamParty, clock: Clock): () => Promise<Configuration> {
  let found: { at: number; configuration: Promise<Configuration> } | null = null;
  return () => {
    const now = clock.now().getTime();
    if (found && Math.abs(now - found.at) < DISCOVERY_SECONDS * 1000) return found.configuration;
    const mine = { at: now, configuration: discover(party) };
    mine.configuration.catch(() => {
      if (found === mine) found = null;
    });
    found = mine;
    return mine.configuration;
  };
}

async function discover({ issuer, clientId, idTokenAlg, authentication }: UpstreamParty): Promise<Configuration> {
  const isLoopback = issuer.startsWith("http:");
  const configuration = await discovery(
    new URL(issuer),
    clientId,
    { id_token_signed_response_alg: idTokenAlg },
    authentication.authenticate,
    {
      // The configuration keeps it for the key set, the tokens and userinfo.
      [customFetch]: limitedFetch,
      timeout: TIMEOUT_SECONDS,
      execute: [enableNonRepudiationChecks, ...(isLoopback ? [allowInsecureRequests] : [])],
    },
  );
  if (configuration.serverMetadata().issuer !== issuer) throw new UpstreamError("issuer of the discovery");
  return configuration;
}
