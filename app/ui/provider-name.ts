import { PROVIDER_NAMES, type Provider } from "#app/domain/external-account/providers.ts";

/** Returns the display name of a provider, which is the same in every language. */
export function providerName(provider: Provider): string {
  return PROVIDER_NAMES[provider];
}
