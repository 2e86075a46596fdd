import type { IncomingMessage, ServerResponse } from "node:http";
import { type Account, type Configuration, interactionPolicy, Provider } from "oidc-provider";
import { addUserName, checkSignedSecret } from "./apple.ts";
import { createMemoryAdapter } from "./memory-adapter.ts";
import { createSignInPage } from "./sign-in-page.ts";
import type { FakeProviderOptions, FakeProviderUser } from "./types.ts";

/** An OpenID provider on this machine that replaces Google, Microsoft or Apple in the demo and in tests. */
export type FakeProvider = {
  provider: Provider;
  /** Handles a request below the issuer's path. Resolves to false for any other path. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
};

/**
 * Creates an OpenID provider whose users sign in by a click on their name, without a password. Supports the code flow,
 * PKCE, form_post, discovery and a JWKS. For local use only.
 */
export function createFakeProvider(options: FakeProviderOptions): FakeProvider {
  const { pathname: base } = new URL(options.issuer);
  const provider = new Provider(options.issuer, configure(options, base));
  const { secret } = options.client;
  if (typeof secret !== "string") {
    provider.Client.prototype.compareClientSecret = (given: string) => checkSignedSecret(given, secret);
  }
  if (options.postsName) provider.use(addUserName(options.users));
  const handleSignIn = createSignInPage(provider, options);
  return {
    provider,
    async handle(request, response) {
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      if (!path.startsWith(`${base}/`)) return false;
      if (path.startsWith(`${base}/sign-in/`)) {
        await handleSignIn(request, response);
        return true;
      }
      // oidc-provider derives its mount path from the difference between `originalUrl` and `url`.
      Object.assign(request, { originalUrl: request.url, url: (request.url ?? "").slice(base.length) });
      await provider.callback()(request, response);
      return true;
    },
  };
}

const SCOPES = ["openid", "email", "profile", "name"];

function configure({ client, users, keys, cookieKey, postsName }: FakeProviderOptions, base: string): Configuration {
  const { base: basePolicy, Prompt } = interactionPolicy;
  const policy = basePolicy();
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0);
  policy.remove("consent");
  const cookieName = base.replaceAll(/[^a-z0-9]/gi, "_");
  return {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: client.id,
        // oidc-provider requires a secret; signed secrets are checked by compareClientSecret instead.
        client_secret: typeof client.secret === "string" ? client.secret : "signed at each use",
        redirect_uris: [client.redirectUri],
        token_endpoint_auth_method: "client_secret_post",
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [...keys] },
    cookies: {
      keys: [cookieKey],
      names: {
        session: `fake_provider${cookieName}`,
        interaction: `fake_provider_i${cookieName}`,
        resume: `fake_provider_r${cookieName}`,
      },
    },
    scopes: SCOPES,
    claims: postsName
      ? { openid: ["sub"], email: ["email", "email_verified"] }
      : { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
    // Google, Microsoft and Apple include the claims in the ID token.
    conformIdTokenClaims: false,
    interactions: { policy, url: (_ctx, interaction) => `${base}/sign-in/${interaction.uid}` },
    features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
    findAccount: (_ctx, sub) => accountOf(users, sub),
    // Grants all scopes, so that no consent page is shown.
    loadExistingGrant: async (ctx) => {
      const { client: requester, session } = ctx.oidc;
      if (!requester || !session?.accountId) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId: requester.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 3600, Interaction: 3600, Session: 3600, Grant: 3600 },
  };
}

function accountOf(users: readonly FakeProviderUser[], sub: string): Account | undefined {
  const user = users.find((candidate) => candidate.sub === sub);
  if (!user) return undefined;
  const { name, email, email_verified } = user;
  return { accountId: sub, claims: () => ({ sub, name, email, email_verified, preferred_username: email }) };
}
