import type { SnippetValues } from "./snippet-values.ts";

const LIBRARY_AUTH = {
  client_secret_basic: "client.ClientSecretBasic(process.env.CLIENT_SECRET)",
  client_secret_post: "client.ClientSecretPost(process.env.CLIENT_SECRET)",
  client_secret_jwt: "client.ClientSecretJwt(process.env.CLIENT_SECRET)",
  none: "client.None()",
} as const satisfies Record<SnippetValues["authMethod"], string>;

/** Returns sample code for openid-client 6, on a server. */
export function openidClient({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  const insecure = issuer.startsWith("http:") ? ", client.allowInsecureRequests" : "";
  return `import * as client from "openid-client";

const provider = await client.discovery(
  new URL(${JSON.stringify(issuer)}),
  ${JSON.stringify(id)},
  undefined,
  ${LIBRARY_AUTH[authMethod]},
  { execute: [client.enableNonRepudiationChecks${insecure}] },
);

// For each sign-in: store state, nonce and codeVerifier in the session of the browser, then redirect it to signInUrl.
export async function startSignIn() {
  const state = client.randomState();
  const nonce = client.randomNonce();
  const codeVerifier = client.randomPKCECodeVerifier();
  const signInUrl = client.buildAuthorizationUrl(provider, {
    redirect_uri: ${JSON.stringify(redirectUri)},
    scope: ${JSON.stringify(scope)},
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  });
  return { signInUrl, state, nonce, codeVerifier };
}

// At ${redirectUri}, with the full URL of the request and the stored values.
export async function finishSignIn(callbackUrl, { state, nonce, codeVerifier }) {
  const tokens = await client.authorizationCodeGrant(provider, new URL(callbackUrl), {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  // Find the user by claims.sub, never by the e-mail address.
  const claims = await client.fetchUserInfo(provider, tokens.access_token, tokens.claims().sub);
  return { tokens, claims };
}`;
}

/** Returns sample code for oidc-client-ts 3, in a browser. */
export function oidcClientTs({ issuer, id, redirectUri, postLogoutRedirectUri, scope }: SnippetValues): string {
  const afterLogout =
    postLogoutRedirectUri === null ? "" : `\n  post_logout_redirect_uri: ${JSON.stringify(postLogoutRedirectUri)},`;
  return `import { UserManager } from "oidc-client-ts";

// Code flow with PKCE. The client is public: it has no secret.
const manager = new UserManager({
  authority: ${JSON.stringify(issuer)},
  client_id: ${JSON.stringify(id)},
  redirect_uri: ${JSON.stringify(redirectUri)},${afterLogout}
  scope: ${JSON.stringify(scope)},
  loadUserInfo: true,
  automaticSilentRenew: false,
});

export const startSignIn = () => manager.signinRedirect();

// On the page ${redirectUri}. Identify the user by profile.sub, never by the e-mail address.
export async function finishSignIn() {
  const { profile } = await manager.signinCallback();
  return profile;
}

export const currentUser = () => manager.getUser();

export const signOut = () => manager.signoutRedirect();`;
}
