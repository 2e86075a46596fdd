import type { z } from "zod";
import { tenantIssuer, upstreamIssuer } from "./address-values.server.ts";
import type { ProviderClient, ProviderClients } from "./config.ts";
import { key } from "./key.server.ts";
import { plainText } from "./plain-values.server.ts";
import { mapProviders, type Provider } from "./providers.ts";
import { clientSecret, ecPrivateKey } from "./secret-values.server.ts";

const ISSUER_FORM = "an https URL without query and fragment; http only on this machine";
const ONE_LINE = "one line of at most 200 characters";
const SECRET_LINE = "one line of at most 1000 characters, without white space around it";
const NO_PROVIDER = { means: "this provider is not offered" } as const;

/** Keys of the external providers: all keys of a provider, or none. */
export const providerKeys = {
  GOOGLE_CLIENT_ID: key(plainText(200).optional(), {
    topic: "google",
    meaning: "The client ID from the Google Cloud console.",
    expected: ONE_LINE,
    example: "1234567890-abc.apps.googleusercontent.com",
    unset: NO_PROVIDER,
  }),
  GOOGLE_CLIENT_SECRET: key(clientSecret().optional(), {
    topic: "google",
    meaning: "The client secret of this client.",
    expected: SECRET_LINE,
    example: "CLIENT-SECRET",
    unset: NO_PROVIDER,
    secret: "hidden",
  }),
  GOOGLE_ISSUER: key(upstreamIssuer(), {
    topic: "google",
    meaning: "The issuer whose ID tokens are accepted. Only tests need another value.",
    expected: ISSUER_FORM,
    example: "https://accounts.google.com",
    unset: { default: "https://accounts.google.com" },
  }),
  MICROSOFT_CLIENT_ID: key(plainText(200).optional(), {
    topic: "microsoft",
    meaning: "The application (client) ID from the Microsoft Entra admin centre.",
    expected: ONE_LINE,
    example: "6731de76-14a6-49ae-97bc-6eba6914391e",
    unset: NO_PROVIDER,
  }),
  MICROSOFT_CLIENT_SECRET: key(clientSecret().optional(), {
    topic: "microsoft",
    meaning: "The value of a client secret of this application, not the ID of the secret.",
    expected: SECRET_LINE,
    example: "CLIENT-SECRET",
    unset: NO_PROVIDER,
    secret: "hidden",
  }),
  MICROSOFT_ISSUER: key(tenantIssuer().optional(), {
    topic: "microsoft",
    meaning:
      "The issuer of your tenant. `common`, `organizations` and `consumers` are refused, because they are aliases of many tenants and never the issuer of a token.",
    expected: "https://login.microsoftonline.com/TENANT-ID/v2.0, where TENANT-ID is the ID of one tenant",
    example: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    unset: NO_PROVIDER,
  }),
  APPLE_CLIENT_ID: key(plainText(200).optional(), {
    topic: "apple",
    meaning: "The Services ID from the Apple developer account.",
    expected: ONE_LINE,
    example: "com.example.login",
    unset: NO_PROVIDER,
  }),
  APPLE_TEAM_ID: key(plainText(200).optional(), {
    topic: "apple",
    meaning: "The Team ID of the developer account.",
    expected: ONE_LINE,
    example: "A1B2C3D4E5",
    unset: NO_PROVIDER,
  }),
  APPLE_KEY_ID: key(plainText(200).optional(), {
    topic: "apple",
    meaning: "The ID of the private key.",
    expected: ONE_LINE,
    example: "F6G7H8J9K0",
    unset: NO_PROVIDER,
  }),
  APPLE_PRIVATE_KEY: key(ecPrivateKey().optional(), {
    topic: "apple",
    meaning:
      "The private key, as in Apple's .p8 file, with real or `\\n` line breaks. It is simplest to set APPLE_PRIVATE_KEY_FILE to the path of that file.",
    expected: "an unencrypted EC P-256 private key in PEM, with real or \\n line breaks",
    example: "-----BEGIN PRIVATE KEY-----\\nBASE64\\n-----END PRIVATE KEY-----",
    unset: NO_PROVIDER,
    secret: "hidden",
  }),
  APPLE_ISSUER: key(upstreamIssuer(), {
    topic: "apple",
    meaning: "The issuer whose ID tokens are accepted. Only tests need another value.",
    expected: ISSUER_FORM,
    example: "https://appleid.apple.com",
    unset: { default: "https://appleid.apple.com" },
  }),
};

/** The validated values of the keys above. */
type ProviderEnvironment = z.output<z.ZodObject<typeof providerKeys>>;

/**
 * `needs`: keys that a provider requires together. `starts`: keys with a default that request the provider when set.
 * `toClient` returns null if a needed key is not set.
 */
type ProviderRules = {
  needs: (keyof typeof providerKeys)[];
  starts: (keyof typeof providerKeys)[];
  toClient(env: ProviderEnvironment): ProviderClient | null;
};

/** Rules of the keys by provider. */
export const PROVIDER_RULES: Record<Provider, ProviderRules> = {
  google: {
    needs: ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
    starts: ["GOOGLE_ISSUER"],
    toClient: (env) => withFixedSecret(env.GOOGLE_ISSUER, env.GOOGLE_CLIENT_ID, env.GOOGLE_CLIENT_SECRET),
  },
  microsoft: {
    needs: ["MICROSOFT_CLIENT_ID", "MICROSOFT_CLIENT_SECRET", "MICROSOFT_ISSUER"],
    starts: [],
    toClient: (env) => withFixedSecret(env.MICROSOFT_ISSUER, env.MICROSOFT_CLIENT_ID, env.MICROSOFT_CLIENT_SECRET),
  },
  apple: {
    needs: ["APPLE_CLIENT_ID", "APPLE_TEAM_ID", "APPLE_KEY_ID", "APPLE_PRIVATE_KEY"],
    starts: ["APPLE_ISSUER"],
    toClient({
      APPLE_ISSUER: issuer,
      APPLE_CLIENT_ID: clientId,
      APPLE_TEAM_ID: teamId,
      APPLE_KEY_ID: keyId,
      APPLE_PRIVATE_KEY: privateKey,
    }) {
      return clientId && teamId && keyId && privateKey ? { issuer, clientId, teamId, keyId, privateKey } : null;
    },
  },
};

/** Converts the keys of the providers to their clients. */
export function toProviderClients(env: ProviderEnvironment): ProviderClients {
  return mapProviders((provider) => PROVIDER_RULES[provider].toClient(env));
}

type Text = string | undefined;

function withFixedSecret(issuer: Text, clientId: Text, secret: Text): ProviderClient | null {
  return issuer && clientId && secret ? { issuer, clientId, clientSecret: secret } : null;
}
