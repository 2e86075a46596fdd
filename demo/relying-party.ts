import * as client from "openid-client";

/** Who this application is to the provider. */
export type Registration = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  /** Allows http, for an issuer on this machine. */
  allowInsecure: boolean;
};

/** What has to be remembered between leaving for the provider and coming back. */
export type Departure = { state: string; nonce: string; codeVerifier: string };

/** A person who has signed in. */
export type SignedIn = {
  claims: Readonly<Record<string, unknown>>;
  userinfo: Readonly<Record<string, unknown>>;
  idToken: string;
  accessToken: string;
  refreshToken: string | null;
  scope: string;
  /** When the provider last answered for this person. */
  receivedAt: Date;
};

export type RelyingParty = {
  /** Where to send the browser, and what to remember until it returns; `hints` for a person who may want an account. */
  depart(language: string, hints?: Readonly<Record<string, string>>): Promise<{ url: URL; departure: Departure }>;
  /** Reads the answer that the browser brought back. Throws when it is refused, forged or not ours. */
  arrive(answer: URL, departure: Departure): Promise<SignedIn>;
  /** New tokens for the same person. Throws when the provider no longer wants to. */
  refresh(person: SignedIn & { refreshToken: string }): Promise<SignedIn>;
  /** Where to send the browser to sign out at the provider as well. */
  signOutUrl(idToken: string, language: string): Promise<URL>;
};

/** `offline` asks for a refresh token without asking the person each time. */
const SCOPE = "openid profile email offline reports tasks";

/** Clocks of two machines are never quite the same. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** The part of the application that speaks OpenID Connect; the provider is looked up at the first sign-in. */
export function createRelyingParty(registration: Registration): RelyingParty {
  let discovered: Promise<client.Configuration> | null = null;

  function provider() {
    discovered ??= discover(registration).catch((error: unknown) => {
      // The provider may just not be up yet: ask again the next time.
      discovered = null;
      throw error;
    });
    return discovered;
  }

  return {
    async depart(language, hints = {}) {
      const departure = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(await provider(), {
        redirect_uri: registration.redirectUri,
        scope: SCOPE,
        state: departure.state,
        nonce: departure.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(departure.codeVerifier),
        code_challenge_method: "S256",
        ui_locales: language,
        ...hints,
      });
      return { url, departure };
    },

    async arrive(answer, { state, nonce, codeVerifier }) {
      const configuration = await provider();
      const tokens = await client.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      return readTokens(configuration, tokens, null);
    },

    async refresh(person) {
      const configuration = await provider();
      const tokens = await client.refreshTokenGrant(configuration, person.refreshToken);
      return readTokens(configuration, tokens, person);
    },

    async signOutUrl(idToken, language) {
      return client.buildEndSessionUrl(await provider(), {
        id_token_hint: idToken,
        post_logout_redirect_uri: registration.postLogoutRedirectUri,
        ui_locales: language,
      });
    },
  };
}

async function discover({ issuer, clientId, clientSecret, allowInsecure }: Registration) {
  return client.discovery(new URL(issuer), clientId, undefined, client.ClientSecretBasic(clientSecret), {
    execute: [
      // Without this, a token that came straight from the token endpoint is taken without a look at its signature.
      client.enableNonRepudiationChecks,
      ...(allowInsecure ? [client.allowInsecureRequests] : []),
    ],
  });
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

async function readTokens(
  configuration: client.Configuration,
  tokens: Tokens,
  before: SignedIn | null,
): Promise<SignedIn> {
  const claims = tokens.claims();
  const idToken = tokens.id_token ?? before?.idToken;
  const subject = claims?.sub ?? before?.claims.sub;
  if (claims !== undefined) requirePlausible(claims, before);
  if (idToken === undefined || typeof subject !== "string") throw new Error("The provider sent no ID token.");
  return {
    claims: claims ?? before?.claims ?? {},
    userinfo: await client.fetchUserInfo(configuration, tokens.access_token, subject),
    idToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    scope: tokens.scope ?? SCOPE,
    receivedAt: new Date(),
  };
}

/** What the library leaves to the application: a subject, no token from the future, and the same person as before. */
function requirePlausible({ sub, iat }: client.IDToken, before: SignedIn | null) {
  if (sub === "") throw new Error("The ID token names nobody.");
  if (iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS) throw new Error("The ID token is from the future.");
  if (before !== null && before.claims.sub !== sub) throw new Error("The ID token is for somebody else.");
}
