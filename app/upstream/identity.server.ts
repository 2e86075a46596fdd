import type { IDToken } from "openid-client";
import type { ExternalClaims, ExternalIdentity } from "#app/domain/external-account/identity.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { lineSchema } from "#app/domain/line-schema.ts";

/** Maximum length of a name or an address, in characters; the same as for registration hints. */
const LONGEST_TEXT = 200;

const text = lineSchema(LONGEST_TEXT);

/** Returns the identity in a validated ID token. */
export function identityOf(provider: Provider, claims: IDToken): ExternalIdentity {
  const name = parseLine(claims["email"]) ?? parseLine(claims["preferred_username"]) ?? parseLine(claims["name"]);
  return { provider, issuer: claims.iss, subject: claims.sub, name };
}

/** Returns the profile claims of a validated ID token. Apple sends `email_verified` as a string. */
export function claimsOf(claims: IDToken): ExternalClaims {
  const email = parseLine(claims["email"]);
  const verified = claims["email_verified"];
  return {
    email,
    emailVerified: email !== null && (verified === true || verified === "true"),
    name: parseLine(claims["name"]),
    givenName: parseLine(claims["given_name"]),
    familyName: parseLine(claims["family_name"]),
  };
}

function parseLine(value: unknown): string | null {
  const parsed = text.safeParse(value);
  return parsed.success ? parsed.data : null;
}
