import type { Provider } from "#app/config/providers.ts";

/**
 * Identity from a verified ID token. Only `issuer` and `subject` identify it (OpenID Connect Core 1.0 §5.7); `name` is
 * for display.
 */
export type ExternalIdentity = { provider: Provider; issuer: string; subject: string; name: string | null };

/** Tolerated difference between the clocks of a provider and this server. */
export const CLOCK_LEEWAY_SECONDS = 60;

/** Profile claims from a provider. `emailVerified` is true only if the provider has verified the address. */
export type ExternalClaims = {
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  givenName: string | null;
  familyName: string | null;
};
