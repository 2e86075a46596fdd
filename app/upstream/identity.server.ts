import type { IDToken } from "openid-client";
import type { ExternalClaims, ExternalIdentity } from "#app/domain/external-account/identity.ts";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { lineSchema } from "#app/domain/line-schema.ts";

/** Characters of a name or an address; the same as for hints of a registration. */
const LONGEST_TEXT = 200;

const text = lineSchema(LONGEST_TEXT);

/** Whom a checked ID token names. */
export function identityOf(provider: Provider, claims: IDToken): ExternalIdentity {
  const name = line(claims["email"]) ?? line(claims["preferred_username"]) ?? line(claims["name"]);
  return { provider, issuer: claims.iss, subject: claims.sub, name };
}

/** What a checked ID token says of a person. Apple writes the truth of an address as a text. */
export function claimsOf(claims: IDToken): ExternalClaims {
  const email = line(claims["email"]);
  const verified = claims["email_verified"];
  return {
    email,
    emailVerified: email !== null && (verified === true || verified === "true"),
    name: line(claims["name"]),
    givenName: line(claims["given_name"]),
    familyName: line(claims["family_name"]),
  };
}

function line(value: unknown): string | null {
  const read = text.safeParse(value);
  return read.success ? read.data : null;
}
