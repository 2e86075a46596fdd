import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { ClientView } from "#app/domain/client/show.server.ts";
import { curl, introspectionCurl } from "./curl.ts";
import { oidcClientTs, openidClient } from "./javascript.ts";
import { authlib, django } from "./python.ts";
import { modAuthOpenidc, spring } from "./servers.ts";
import type { SnippetValues } from "./snippet-values.ts";

/** Libraries with sample code. */
export const SNIPPETS = [
  "openid-client",
  "oidc-client-ts",
  "curl",
  "authlib",
  "django",
  "spring",
  "mod_auth_openidc",
] as const;
export type SnippetKind = (typeof SNIPPETS)[number];

/** Values of a client that decide which sample code it can have. */
type SnippetClient = Pick<ClientView, "id" | "redirectUris" | "authMethod" | "idTokenAlg">;

/** Client authentication that a library needs, and the option that registers it. */
type Requirement = { methods: readonly SnippetValues["authMethod"][]; option: string };

const WITH_SECRET: Requirement = {
  methods: ["client_secret_basic", "client_secret_post"],
  option: "--auth-method client_secret_basic, without --public",
};

const RECIPES: Readonly<Record<SnippetKind, { write: (values: SnippetValues) => string; needs: Requirement | null }>> =
  {
    "openid-client": { write: openidClient, needs: null },
    "oidc-client-ts": { write: oidcClientTs, needs: { methods: ["none"], option: "--public" } },
    curl: { write: curl, needs: null },
    authlib: { write: authlib, needs: WITH_SECRET },
    django: {
      write: django,
      needs: { methods: ["client_secret_post", "client_secret_basic"], option: WITH_SECRET.option },
    },
    spring: { write: spring, needs: WITH_SECRET },
    mod_auth_openidc: { write: modAuthOpenidc, needs: WITH_SECRET },
  };

/**
 * Returns sample code for a client. It reads the client secret from the environment.
 * @throws CommandError (refused) if the library cannot be used with this client
 */
export function snippetFor(
  kind: SnippetKind,
  issuer: string,
  client: SnippetClient & Pick<ClientView, "postLogoutRedirectUris" | "scopes">,
): string {
  requireUsable(kind, client);
  const { id, authMethod, idTokenAlg } = client;
  const [redirectUri] = client.redirectUris;
  if (redirectUri === undefined) return introspectionCurl({ issuer, id, authMethod });
  const postLogoutRedirectUri = client.postLogoutRedirectUris[0] ?? null;
  const scope = client.scopes.join(" ");
  return RECIPES[kind].write({ issuer, id, redirectUri, postLogoutRedirectUri, scope, authMethod, idTokenAlg });
}

/** Throws CommandError (refused) if a library cannot be used with this client. */
export function requireUsable(
  kind: SnippetKind,
  { redirectUris, authMethod, idTokenAlg }: Omit<SnippetClient, "id">,
): void {
  if (redirectUris.length === 0 && kind !== "curl") {
    throw new CommandError(EXIT.refused, [
      "A client without redirect URI introspects tokens and signs no users in.",
      "The sample code curl shows how.",
    ]);
  }
  if (kind === "spring" && idTokenAlg !== "RS256") {
    throw new CommandError(EXIT.refused, [`${kind} expects RS256. Register a client with --id-token-alg RS256.`]);
  }
  const { needs } = RECIPES[kind];
  if (!needs || needs.methods.includes(authMethod)) return;
  throw new CommandError(EXIT.refused, [
    `${kind} cannot be used with a client that is registered with ${authMethod}.`,
    `Register one with ${needs.option}.`,
  ]);
}
