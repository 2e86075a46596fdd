import * as client from "openid-client";

/** The application's registration at the provider. */
export type Registration = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  /** Allows http, for an issuer on this machine. */
  allowInsecure: boolean;
};

/** Values of one authorization request that its callback is checked against. */
export type AuthorizationState = { state: string; nonce: string; codeVerifier: string };

/** A signed-in user: claims and tokens. */
export type SignedInUser = {
  claims: Readonly<Record<string, unknown>>;
  userinfo: Readonly<Record<string, unknown>>;
  idToken: string;
  accessToken: string;
  refreshToken: string | null;
  scope: string;
  /** Time of the last token response. */
  receivedAt: Date;
};

export type RelyingParty = {
  /** Builds an authorization request. `hints` are parameters that prefill a registration at the provider. */
  startSignIn(
    language: string,
    hints?: Readonly<Record<string, string>>,
  ): Promise<{ url: URL; state: AuthorizationState }>;
  /** Exchanges the code of an authorization response. Throws when the response is an error or does not match. */
  finishSignIn(callback: URL, expected: AuthorizationState): Promise<SignedInUser>;
  /** Requests new tokens for the same user. Throws when the provider rejects the refresh token. */
  refresh(user: SignedInUser & { refreshToken: string }): Promise<SignedInUser>;
  /** Returns the end_session URL of the provider. */
  signOutUrl(idToken: string, language: string): Promise<URL>;
};

/** `offline` (a scope of Gatehouse) requests a refresh token without prompt=consent. */
const SCOPE = "openid profile email offline reports tasks";

/** Accepted difference between the clocks of the two machines. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** Creates the OpenID Connect client of the application. Discovery runs at the first sign-in. */
export function createRelyingParty(registration: Registration): RelyingParty {
  let discovered: Promise<client.Configuration> | null = null;

  function provider() {
    discovered ??= discover(registration).catch((error: unknown) => {
      // The provider may still be starting: retry discovery at the next sign-in.
      discovered = null;
      throw error;
    });
    return discovered;
  }

  return {
    async startSignIn(language, hints = {}) {
      const state: AuthorizationState = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(await provider(), {
        redirect_uri: registration.redirectUri,
        scope: SCOPE,
        state: state.state,
        nonce: state.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(state.codeVerifier),
        code_challenge_method: "S256",
        ui_locales: language,
        ...hints,
      });
      return { url, state };
    },

    async finishSignIn(callback, { state, nonce, codeVerifier }) {
      const configuration = await provider();
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      return readTokens(configuration, tokens, null);
    },

    async refresh(user) {
      const configuration = await provider();
      const tokens = await client.refreshTokenGrant(configuration, user.refreshToken);
      return readTokens(configuration, tokens, user);
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
      // By default openid-client does not verify the signature of an ID token from the token endpoint.
      client.enableNonRepudiationChecks,
      ...(allowInsecure ? [client.allowInsecureRequests] : []),
    ],
  });
}

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

async function readTokens(
  configuration: client.Configuration,
  tokens: Tokens,
  previous: SignedInUser | null,
): Promise<SignedInUser> {
  const claims = tokens.claims();
  const idToken = tokens.id_token ?? previous?.idToken;
  const subject = claims?.sub ?? previous?.claims.sub;
  if (claims !== undefined) checkIdToken(claims, previous);
  if (idToken === undefined || typeof subject !== "string") throw new Error("token response contains no ID token");
  return {
    claims: claims ?? previous?.claims ?? {},
    userinfo: await client.fetchUserInfo(configuration, tokens.access_token, subject),
    idToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? previous?.refreshToken ?? null,
    scope: tokens.scope ?? SCOPE,
    receivedAt: new Date(),
  };
}

/** Checks that openid-client does not make: non-empty `sub`, `iat` not in the future, same `sub` as before the refresh. */
function checkIdToken({ sub, iat }: client.IDToken, previous: SignedInUser | null) {
  if (sub === "") throw new Error("ID token has an empty sub");
  if (iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS) throw new Error("ID token has an iat in the future");
  if (previous !== null && previous.claims.sub !== sub) throw new Error("ID token has another sub than before");
}
