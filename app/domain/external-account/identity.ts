import type { Provider } from "./providers.ts";

/**
 * Somebody at an external provider, as a verified ID token names them. `issuer` and `subject` are the key, and never
 * anything else (OpenID Connect Core 1.0 section 5.7). `name` is for display: what the person calls that account.
 */
export type ExternalIdentity = { provider: Provider; issuer: string; subject: string; name: string | null };

/** The clocks of a provider and of this server may differ by so much. */
export const CLOCK_LEEWAY_SECONDS = 60;

/** What else a provider says of a person; `emailVerified` is true only where the provider vouches for the address. */
export type ExternalClaims = {
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  givenName: string | null;
  familyName: string | null;
};
