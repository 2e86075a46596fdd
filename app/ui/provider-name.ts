import { PROVIDER_NAMES, type Provider } from "#app/domain/external-account/providers.ts";

/** What people call a provider; the same in every language. */
export function providerName(provider: Provider): string {
  return PROVIDER_NAMES[provider];
}
