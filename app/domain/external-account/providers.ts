/** The external providers, in display order. */
export const PROVIDERS = ["google", "microsoft", "apple"] as const;

/** An external provider, configured or not. */
export type Provider = (typeof PROVIDERS)[number];

/** Display names, the same in every language. */
export const PROVIDER_NAMES = {
  google: "Google",
  microsoft: "Microsoft",
  apple: "Apple",
} as const satisfies Record<Provider, string>;

/** Returns true if a URL segment is a provider, configured or not. */
export function isProvider(word: unknown): word is Provider {
  return PROVIDERS.some((provider) => provider === word);
}
