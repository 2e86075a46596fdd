import {
  allowInsecureRequests,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import { HOUR_SECONDS } from "#app/durations.ts";
import { limitedFetch } from "#app/limited-fetch.server.ts";
import type { Clock } from "#app/ports.ts";
import type { ClientAuthentication } from "./client-authentication.server.ts";
import { UpstreamError } from "./upstream-error.server.ts";

/** Provider and client registration for discovery. */
type UpstreamParty = {
  issuer: string;
  clientId: string;
  idTokenAlg: string;
  authentication: ClientAuthentication;
};

/** Lifetime of a cached discovery document. openid-client caches and refreshes the key set itself. */
const DISCOVERY_SECONDS = HOUR_SECONDS;

/** Timeout of each request to a provider. */
const TIMEOUT_SECONDS = 4;

/**
 * Returns a function that loads the discovery document on first use and caches it for an hour; failures are not cached.
 * Its `issuer` must equal the configured one exactly (OpenID Connect Discovery 1.0 §4.3).
 * @returns a function that rejects with UpstreamError or an error of openid-client if discovery fails
 */
export function discoverOnDemand(party: UpstreamParty, clock: Clock): () => Promise<Configuration> {
  let cached: { at: number; configuration: Promise<Configuration> } | null = null;
  return () => {
    const now = clock.now().getTime();
    if (cached && Math.abs(now - cached.at) < DISCOVERY_SECONDS * 1000) return cached.configuration;
    const current = { at: now, configuration: discover(party) };
    current.configuration.catch(() => {
      if (cached === current) cached = null;
    });
    cached = current;
    return current.configuration;
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
      // Kept in the configuration, for the key set, token and userinfo requests too.
      [customFetch]: limitedFetch,
      timeout: TIMEOUT_SECONDS,
      execute: [enableNonRepudiationChecks, ...(isLoopback ? [allowInsecureRequests] : [])],
    },
  );
  if (configuration.serverMetadata().issuer !== issuer) throw new UpstreamError("issuer of the discovery");
  return configuration;
}
