import { importPKCS8, SignJWT } from "jose";
import { type ClientAuth, ClientSecretPost } from "openid-client";
import type { AppleClient } from "#app/config/config.ts";
import type { Clock } from "#app/ports.ts";

/** Lives as long as the one call it is made for could take. */
const SECRET_SECONDS = 5 * 60;

/** How we prove to a provider who we are. `renew` runs before each use. */
export type ClientAuthentication = { authenticate: ClientAuth; renew(): Promise<void> };

/** A client secret that stays the same (OpenID Connect Core 1.0 section 9, client_secret_post). */
export function fixedSecret(clientSecret: string): ClientAuthentication {
  return { authenticate: ClientSecretPost(clientSecret), renew: async () => undefined };
}

/**
 * Apple's client secret: a JWT of our own, signed with the key from the developer account (ES256). It is sent as
 * `client_secret`, and is no client assertion of RFC 7523.
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export function signedSecret(client: AppleClient, clock: Clock): ClientAuthentication {
  let secret = "";
  return {
    authenticate: (as, metadata, body, headers) => ClientSecretPost(secret)(as, metadata, body, headers),
    // Two sign-ins at once write one after the other; each of the two secrets is as good as the other.
    renew: async () => {
      secret = await makeSecret(client, clock);
    },
  };
}

async function makeSecret(client: AppleClient, clock: Clock): Promise<string> {
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
