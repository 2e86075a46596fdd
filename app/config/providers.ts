/** The external providers in display order, with their names, which are the same in every language. */
export const PROVIDER_NAMES = {
  google: "Google",
  microsoft: "Microsoft",
  apple: "Apple",
} as const;

/** An external provider, configured or not. */
export type Provider = keyof typeof PROVIDER_NAMES;

/** The external providers, in display order. */
export const PROVIDERS: readonly Provider[] = Object.keys(PROVIDER_NAMES).filter(isProvider);

/** Returns true if a value, such as a URL segment, is a provider, configured or not. */
export function isProvider(word: unknown): word is Provider {
  return typeof word === "string" && Object.hasOwn(PROVIDER_NAMES, word);
}

/** Returns a record with a value for each provider. */
export function mapProviders<T>(create: (provider: Provider) => T): Record<Provider, T> {
  // Not inline: for tuples, the result would have the type of a record with any key.
  const entries = PROVIDERS.map((provider) => [provider, create(provider)]);
  return Object.fromEntries(entries);
}
