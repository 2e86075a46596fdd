import type { Configuration } from "openid-client";
import type { Provider } from "#app/config/providers.ts";
import type { ClientAuthentication } from "./client-authentication.server.ts";

/** Settings of a provider that its discovery document does not contain. */
export type ProviderTraits = {
  scope: string;
  /** `form_post` if the provider requires it for name or e-mail; null for the query. */
  responseMode: "form_post" | null;
  /** The only accepted algorithm of ID tokens. */
  idTokenAlg: "RS256";
  /** `prompt` values for choosing an account and for a new proof of identity; null if the provider has none. */
  prompts: { chooseAccount: string | null; signInAgain: string | null };
  /** Error code for a cancelled sign-in, beside `access_denied`. */
  cancelledError: string | null;
};

/** Settings by provider. */
export const PROVIDER_TRAITS = {
  // https://developers.google.com/identity/openid-connect/openid-connect
  google: {
    scope: "openid email profile",
    responseMode: null,
    idTokenAlg: "RS256",
    prompts: { chooseAccount: "select_account", signInAgain: "select_account" },
    cancelledError: null,
  },
  // https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
  microsoft: {
    scope: "openid email profile",
    responseMode: null,
    idTokenAlg: "RS256",
    prompts: { chooseAccount: "select_account", signInAgain: "login" },
    cancelledError: null,
  },
  // https://developer.apple.com/documentation/sign_in_with_apple: the scopes name and email require form_post.
  apple: {
    scope: "openid email name",
    responseMode: "form_post",
    idTokenAlg: "RS256",
    prompts: { chooseAccount: null, signInAgain: null },
    cancelledError: "user_cancelled_authorize",
  },
} as const satisfies Record<Provider, ProviderTraits>;

/** A configured provider. */
export type UpstreamProvider = {
  name: Provider;
  clientId: string;
  redirectUri: string;
  authentication: ClientAuthentication;
  /** Resolves to the cached discovery document. */
  discover: () => Promise<Configuration>;
};
