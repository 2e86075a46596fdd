import type { ClientView } from "#app/domain/client/show.server.ts";

/** Kinds of sample code of `client add --snippet`. */
export const SNIPPETS = ["openid-client", "curl"] as const;
export type SnippetKind = (typeof SNIPPETS)[number];

type SnippetClient = Pick<ClientView, "id" | "redirectUris" | "scopes" | "authMethod">;

/** Returns sample code for a client. It reads the client secret from the environment. */
export function snippetFor(kind: SnippetKind, issuer: string, client: SnippetClient): string {
  const values = {
    issuer,
    id: client.id,
    redirectUri: client.redirectUris[0] ?? "",
    scope: client.scopes.join(" "),
    authMethod: client.authMethod,
  };
  return kind === "curl" ? curl(values) : openidClient(values);
}

type SnippetValues = {
  issuer: string;
  id: string;
  redirectUri: string;
  scope: string;
  authMethod: SnippetClient["authMethod"];
};

const LIBRARY_AUTH = {
  client_secret_basic: "client.ClientSecretBasic(process.env.CLIENT_SECRET)",
  client_secret_post: "client.ClientSecretPost(process.env.CLIENT_SECRET)",
  client_secret_jwt: "client.ClientSecretJwt(process.env.CLIENT_SECRET)",
  none: "client.None()",
} as const satisfies Record<SnippetValues["authMethod"], string>;

/** Sample code for openid-client 6. */
function openidClient({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  const insecure = issuer.startsWith("http:") ? ", client.allowInsecureRequests" : "";
  return `import * as client from "openid-client";

const provider = await client.discovery(
  new URL(${JSON.stringify(issuer)}),
  ${JSON.stringify(id)},
  undefined,
  ${LIBRARY_AUTH[authMethod]},
  { execute: [client.enableNonRepudiationChecks${insecure}] },
);

// For each sign-in: store state, nonce and codeVerifier in the session of the browser.
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

// At ${redirectUri}, with the full URL of the request:
const tokens = await client.authorizationCodeGrant(provider, new URL(callbackUrl), {
  expectedState: state,
  expectedNonce: nonce,
  pkceCodeVerifier: codeVerifier,
  idTokenExpected: true,
});
const user = await client.fetchUserInfo(provider, tokens.access_token, tokens.claims().sub);`;
}

const CURL_AUTH = {
  client_secret_basic: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  client_secret_post: '-d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET"',
  // curl cannot sign the client assertion (RFC 7523 §2.2).
  client_secret_jwt:
    '-d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion="$ASSERTION"',
  none: '-d client_id="$CLIENT_ID"',
} as const satisfies Record<SnippetValues["authMethod"], string>;

function curl({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  const request = new URLSearchParams({ response_type: "code", client_id: id, redirect_uri: redirectUri, scope });
  const promptForSecret = /\$CLIENT_SECRET/.test(CURL_AUTH[authMethod])
    ? "read -rsp 'client_secret: ' CLIENT_SECRET\n"
    : "";
  return `ISSUER=${quote(issuer)} CLIENT_ID=${quote(id)} REDIRECT_URI=${quote(redirectUri)}
${promptForSecret}VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')

# Open this URL in a browser and sign in; copy the code from the URL of the redirect.
echo "$ISSUER/oauth2/auth?${request}&state=$(openssl rand -hex 16)&code_challenge=$CHALLENGE&code_challenge_method=S256"
read -r CODE

# The code is valid for 60 seconds.
curl -sS "$ISSUER/oauth2/token" ${CURL_AUTH[authMethod]} \\
  -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
  --data-urlencode redirect_uri="$REDIRECT_URI"

# With the access_token of the response:
curl -sS "$ISSUER/userinfo" -H "Authorization: Bearer $ACCESS_TOKEN"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
