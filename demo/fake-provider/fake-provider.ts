import type { IncomingMessage, ServerResponse } from "node:http";
import { type Account, type Configuration, interactionPolicy, type JWK, Provider } from "oidc-provider";
import { checkSignedSecret, type SignedSecretCheck } from "./apple.ts";
import { addName } from "./apple-name.ts";
import { createMemory } from "./memory-adapter.ts";
import { createSignInDesk } from "./sign-in-page.ts";

/** Somebody with an account at a stand-in. `sub` names the account there. */
export type FakeProviderUser = { sub: string; name: string; email: string; email_verified: boolean };

export type FakeProviderOptions = {
  /** What its page calls it, e.g. "Google". */
  name: string;
  /** With a path of its own: http://localhost:3002/google. */
  issuer: string;
  client: { id: string; redirectUri: string; secret: string | SignedSecretCheck };
  people: readonly FakeProviderUser[];
  /** The keys of its ID tokens, the first one in use; RS256. */
  keys: readonly JWK[];
  /** Random text for its cookies. */
  cookieKey: string;
  /** What it answers a person who says no. */
  cancelledError: string;
  /** Posts the person's name beside the code, as Apple does at the first consent, and says it nowhere else. */
  postsName: boolean;
};

/** A real OpenID provider that stands in for another one on this machine. */
export type FakeProvider = {
  provider: Provider;
  /** Answers a request below the issuer's path; false for any other. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
};

/**
 * Makes an OpenID provider whose people sign in by a press on their name: code flow, PKCE, form_post, discovery, keys, as
 * the real ones have them. Only for this machine.
 */
export function createFakeProvider(options: FakeProviderOptions): FakeProvider {
  const { pathname: base } = new URL(options.issuer);
  const provider = new Provider(options.issuer, configure(options, base));
  const { secret } = options.client;
  if (typeof secret !== "string") {
    provider.Client.prototype.compareClientSecret = (given: string) => checkSignedSecret(given, secret);
  }
  if (options.postsName) provider.use(addName(options.people));
  const desk = createSignInDesk(provider, options);
  return {
    provider,
    async handle(request, response) {
      const path = (request.url ?? "").split("?", 1)[0] ?? "";
      if (!path.startsWith(`${base}/`)) return false;
      if (path.startsWith(`${base}/sign-in/`)) {
        await desk(request, response);
        return true;
      }
      // The engine finds out by the difference of the two where it is mounted.
      Object.assign(request, { originalUrl: request.url, url: (request.url ?? "").slice(base.length) });
      await provider.callback()(request, response);
      return true;
    },
  };
}

const SCOPES = ["openid", "email", "profile", "name"];

function configure({ client, people, keys, cookieKey, postsName }: FakeProviderOptions, base: string): Configuration {
  const { base: basePolicy, Prompt } = interactionPolicy;
  const policy = basePolicy();
  policy.add(new Prompt({ name: "select_account", requestable: true }), 0);
  policy.remove("consent");
  const cookieName = base.replaceAll(/[^a-z0-9]/gi, "_");
  return {
    adapter: createMemory(),
    clients: [
      {
        client_id: client.id,
        // A signed secret is checked otherwise; the engine wants to know one all the same.
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
    // The real ones put the claims into the ID token.
    conformIdTokenClaims: false,
    interactions: { policy, url: (_ctx, interaction) => `${base}/sign-in/${interaction.uid}` },
    features: { devInteractions: { enabled: false }, claimsParameter: { enabled: true } },
    findAccount: (_ctx, sub) => accountOf(people, sub),
    // Nobody is asked for consent: all that a person sees is the list of names.
    loadExistingGrant: async (ctx) => {
      const { client: asking, session } = ctx.oidc;
      if (!asking || !session?.accountId) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId: asking.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 3600, Interaction: 3600, Session: 3600, Grant: 3600 },
  };
}

function accountOf(people: readonly FakeProviderUser[], sub: string): Account | undefined {
  const person = people.find((one) => one.sub === sub);
  if (!person) return undefined;
  const { name, email, email_verified } = person;
  return { accountId: sub, claims: () => ({ sub, name, email, email_verified, preferred_username: email }) };
}
