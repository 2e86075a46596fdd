import { importPKCS8, SignJWT } from "jose";
import { type ClientAuth, ClientSecretPost } from "openid-client";
import type { SignedSecretClient } from "#app/config/config.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** Lifetime of a signed client secret. Each is used for one call. */
const SECRET_SECONDS = 5 * MINUTE_SECONDS;

/** Client authentication at a provider. Call `renew` before each use. */
export type ClientAuthentication = { authenticate: ClientAuth; renew(): Promise<void> };

/** Authenticates with a fixed client secret (client_secret_post, OpenID Connect Core 1.0 §9). */
export function fixedSecret(clientSecret: string): ClientAuthentication {
  return { authenticate: ClientSecretPost(clientSecret), renew: async () => undefined };
}

/**
 * Authenticates with Apple's client secret: a JWT signed with the key of the developer account (ES256). It is sent as
 * `client_secret`; it is not a client assertion (RFC 7523).
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export function signedSecret(client: SignedSecretClient, clock: Clock): ClientAuthentication {
  let secret = "";
  return {
    authenticate: (as, metadata, body, headers) => ClientSecretPost(secret)(as, metadata, body, headers),
    // Safe for concurrent sign-ins: either secret is valid for both.
    renew: async () => {
      secret = await makeSecret(client, clock);
    },
  };
}

async function makeSecret(client: SignedSecretClient, clock: Clock): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const key = await importPKCS8(client.privateKey, "ES256");
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: client.keyId })
    .setIssuer(client.teamId)
    .setSubject(client.clientId)
    .setAudience(client.issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + SECRET_SECONDS)
    .sign(key);
}
