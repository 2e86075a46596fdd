/** The external providers, in the order in which pages name them. */
export const PROVIDERS = ["google", "microsoft", "apple"] as const;

export type Provider = (typeof PROVIDERS)[number];

/** What people call them; the same in every language. */
export const PROVIDER_NAMES = {
  google: "Google",
  microsoft: "Microsoft",
  apple: "Apple",
} as const satisfies Record<Provider, string>;

/** Whether this word of an address is one of our providers, configured or not. */
export function isProvider(word: unknown): word is Provider {
  return PROVIDERS.some((provider) => provider === word);
}
