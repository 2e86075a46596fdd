import type { SnippetValues } from "./snippet-values.ts";

const CURL_AUTH = {
  client_secret_basic: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  client_secret_post: '-d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET"',
  // curl cannot sign the client assertion (RFC 7523 §2.2).
  client_secret_jwt:
    '-d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion="$ASSERTION"',
  none: '-d client_id="$CLIENT_ID"',
} as const satisfies Record<SnippetValues["authMethod"], string>;

/** Returns a sign-in as commands of bash. */
export function curl({ issuer, id, redirectUri, scope, authMethod }: SnippetValues): string {
  const request = new URLSearchParams({ response_type: "code", client_id: id, redirect_uri: redirectUri, scope });
  return `ISSUER=${quote(issuer)} CLIENT_ID=${quote(id)} REDIRECT_URI=${quote(redirectUri)}
${promptForSecret(authMethod)}VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')

# Open this URL in a browser and sign in; copy the code from the URL of the redirect.
echo "$ISSUER/oauth2/auth?${request}&state=$(openssl rand -hex 16)&code_challenge=$CHALLENGE&code_challenge_method=S256"
read -rp 'code: ' CODE

# The code is valid for 60 seconds.
TOKENS=$(curl -sS "$ISSUER/oauth2/token" ${CURL_AUTH[authMethod]} \\
  -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
  --data-urlencode redirect_uri="$REDIRECT_URI")
echo "$TOKENS"

ACCESS_TOKEN=$(printf %s "$TOKENS" | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
curl -sS "$ISSUER/userinfo" -H "Authorization: Bearer $ACCESS_TOKEN"`;
}

/** Returns the introspection of a token by a resource server as commands of bash. */
export function introspectionCurl({
  issuer,
  id,
  authMethod,
}: Pick<SnippetValues, "issuer" | "id" | "authMethod">): string {
  return `ISSUER=${quote(issuer)} CLIENT_ID=${quote(id)}
${promptForSecret(authMethod)}read -rsp 'access token: ' TOKEN

# "active" is true for a valid access token of any client.
curl -sS "$ISSUER/oauth2/introspect" ${CURL_AUTH[authMethod]} -d token="$TOKEN"`;
}

function promptForSecret(authMethod: SnippetValues["authMethod"]): string {
  return CURL_AUTH[authMethod].includes("$CLIENT_SECRET") ? "read -rsp 'client_secret: ' CLIENT_SECRET\n" : "";
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
