import { type Application, ISSUER, signOutUrl } from "./application.ts";

const APP = "https://app.example.com";
const SCOPES = ["openid", "profile", "permissions", "offline"];

export const oauth2Proxy: Application = {
  id: "oauth2-proxy",
  title: "oauth2-proxy",
  version: "oauth2-proxy 7",
  client: {
    redirectUris: [`${APP}/oauth2/callback`],
    postLogoutRedirectUris: [`${APP}/`],
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro:
        "`oauth2-proxy.cfg`. `OAUTH2_PROXY_COOKIE_SECRET` is set in the environment (`openssl rand -base64 32 | tr " +
        "-- '+/' '-_'`).",
      language: "toml",
      text: `provider = "oidc"
provider_display_name = "Gatehouse"
oidc_issuer_url = "${ISSUER}"
client_id = "oauth2-proxy"
client_secret_file = "/etc/oauth2-proxy/client-secret"
redirect_url = "${APP}/oauth2/callback"
scope = "${SCOPES.join(" ")}"
code_challenge_method = "S256"
oidc_email_claim = "sub"
oidc_groups_claim = "permissions"
email_domains = ["*"]
cookie_refresh = "5m"
whitelist_domains = ["login.example.com"]
upstreams = ["http://127.0.0.1:8080/"]`,
    },
  ],
  users:
    '`X-Forwarded-User` is `sub`: the application behind the proxy finds users by it. `oidc_email_claim = "sub"` ' +
    "puts `sub` in the place of the e-mail address, too, so that no header and no rule depends on an address that a " +
    "user entered, and users without a verified address can sign in. `X-Forwarded-Preferred-Username` is the user " +
    "name, for display only: it can change.",
  signOut: `Link to \`/oauth2/sign_out?rd=\` followed by this URL, encoded once more with \`encodeURIComponent\`:

\`\`\`text
${signOutUrl("oauth2-proxy", `${APP}/`)}
\`\`\`

The user confirms the sign-out at Gatehouse. \`backend_logout_url\` does not end the session at Gatehouse: oauth2-proxy
calls it itself, without the cookie of the browser. When a user is blocked or a password changed, the next refresh
(\`cookie_refresh\`) fails and the session ends.`,
  traps: [
    "The file with the secret must not end with a line break (`printf %s`); it would be part of the secret.",
    '`email_domains = ["*"]` admits every user of Gatehouse. Add `allowed_groups = ["desk"]` to admit only users with ' +
      "that permission (`gatehouse user set anna.berger --permission desk`, which replaces all of them).",
    "If the application needs e-mail addresses, register the scope `email`, request it, and remove " +
      "`oidc_email_claim`. oauth2-proxy then refuses users whose address is not verified. " +
      "`insecure_oidc_allow_unverified_email` would admit anybody with the address that they entered.",
    "`cookie_refresh` has to be shorter than the lifetime of the access token, 10 minutes.",
    "The application must not be reachable past the proxy: it trusts the headers.",
  ],
};
