import type { Configuration } from "openid-client";
import type { Provider } from "#app/domain/external-account/providers.ts";
import type { ClientAuthentication } from "./client-authentication.server.ts";

/** How to speak with a provider, beside what its discovery says. */
export type ProviderTraits = {
  scope: string;
  /** `form_post` where the provider sends no name or e-mail otherwise; null: the query. */
  responseMode: "form_post" | null;
  /** The only algorithm taken for its ID tokens. */
  idTokenAlg: "RS256";
  /** How to ask that the person chooses an account, or proves again who they are; null where there is no way. */
  prompts: { chooseAccount: string | null; signInAgain: string | null };
  /** What it calls a person's no, beside `access_denied`. */
  cancelledError: string | null;
};

/** The three providers as data. */
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
  // https://developer.apple.com/documentation/sign_in_with_apple: asking for name or email demands form_post.
  apple: {
    scope: "openid email name",
    responseMode: "form_post",
    idTokenAlg: "RS256",
    prompts: { chooseAccount: null, signInAgain: null },
    cancelledError: "user_cancelled_authorize",
  },
} as const satisfies Record<Provider, ProviderTraits>;

/** One configured provider, as its calls need it. */
export type UpstreamProvider = {
  name: Provider;
  clientId: string;
  redirectUri: string;
  authentication: ClientAuthentication;
  /** Its discovery document, read when first needed. */
  discover: () => Promise<Configuration>;
};
