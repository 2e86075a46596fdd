import type { ReactNode } from "react";
import type { Provider } from "#app/domain/external-account/providers.ts";

const PATHS = {
  google:
    "M10 2.5a7.5 7.5 0 1 0 7.4 8.7v-2.6H10v2.7h4.4A4.6 4.6 0 0 1 10 14.7a4.7 4.7 0 1 1 3.1-8.2l2-2A7.5 7.5 0 0 0 10 2.5z",
  microsoft: "M2 2h7.5v7.5H2zM10.5 2H18v7.5h-7.5zM2 10.5h7.5V18H2zM10.5 10.5H18V18h-7.5z",
  apple:
    "M10 6.1c-.9-.6-1.9-.9-2.9-.9C4.5 5.2 2.7 7.3 2.7 10.2c0 3.9 2.4 8.1 4.9 8.1.9 0 1.4-.6 2.4-.6s1.5.6 2.4.6c1.9 0 3.7-2.3 4.6-5-1.5-.6-2.4-1.9-2.4-3.4 0-1.3.7-2.4 1.8-3.1-.8-1-2-1.6-3.4-1.6-1.1 0-2.1.3-3 .9zM9.9 4.8c-.1-2.2 1.4-3.9 3.5-4.1.2 2.2-1.4 4.1-3.5 4.1z",
} as const satisfies Record<Provider, string>;

/** The provider's logo in one colour, so that its contrast is sufficient in every colour scheme. */
export function ProviderMark({ provider }: { provider: Provider }): ReactNode {
  return (
    <svg viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
      <path d={PATHS[provider]} />
    </svg>
  );
}
