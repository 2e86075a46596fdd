import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/domain/external-account/providers.ts";
import { ProviderMark } from "#app/ui/provider-mark.tsx";

const LABELS = {
  google: "login.provider.google",
  microsoft: "login.provider.microsoft",
  apple: "login.provider.apple",
} as const satisfies Record<Provider, string>;

/** Links to the configured providers; nothing at all where there are none. */
export function ProviderList({
  providers,
  challenge,
}: {
  providers: readonly Provider[];
  challenge: string;
}): ReactNode {
  const { t } = useTranslation();
  if (providers.length === 0) return null;
  return (
    <section className="flow flow-close" aria-labelledby="providers">
      <h2 className="divide" id="providers">
        {t("login.providersHeading")}
      </h2>
      <ul className="pair">
        {providers.map((provider) => (
          <li key={provider}>
            <a
              className="button quiet provider"
              href={`/login/${provider}?${new URLSearchParams({ login_challenge: challenge })}`}
            >
              <ProviderMark provider={provider} />
              {t(LABELS[provider])}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
