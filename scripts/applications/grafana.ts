import { type Application, ISSUER, signOutUrl } from "./application.ts";

const GRAFANA = "https://grafana.example.com";
const SCOPES = ["openid", "profile", "email", "groups", "offline"];

export const grafana: Application = {
  id: "grafana",
  title: "Grafana",
  version: "Grafana 12",
  client: {
    redirectUris: [`${GRAFANA}/login/generic_oauth`],
    postLogoutRedirectUris: [`${GRAFANA}/login`],
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro: "`grafana.ini`. The file with the secret is readable for Grafana only.",
      language: "ini",
      text: `[server]
root_url = ${GRAFANA}/

[auth]
oauth_allow_insecure_email_lookup = false

[auth.generic_oauth]
enabled = true
name = Gatehouse
client_id = grafana
client_secret = $__file{/etc/grafana/gatehouse-secret}
auth_style = InHeader
use_pkce = true
scopes = ${SCOPES.join(" ")}
use_refresh_token = true
auth_url = ${ISSUER}/oauth2/auth
token_url = ${ISSUER}/oauth2/token
api_url = ${ISSUER}/userinfo
login_attribute_path = preferred_username
name_attribute_path = name
email_attribute_path = email
role_attribute_path = contains(groups[*], 'Grafana administrators') && 'Admin' || 'Viewer'
signout_redirect_url = ${signOutUrl("grafana", `${GRAFANA}/login`)}`,
    },
  ],
  users:
    "Grafana stores `sub` with the account at the first sign-in and finds the user by it from then on. " +
    "`oauth_allow_insecure_email_lookup = false` (the default) keeps it from finding users by their e-mail address: " +
    "with `true`, a user who entered the address of somebody else would be signed in as that person. " +
    "`login_attribute_path` is only the displayed user name.",
  groups:
    "The role in Grafana follows from the groups: members of the group `Grafana administrators` become administrators, " +
    "all others viewers. Replace the name by one of your groups; in the path, a backslash comes before an apostrophe. " +
    "The role is set at each sign-in. To manage roles in Grafana instead, set " +
    "`skip_org_role_sync = true`. Decide in Gatehouse who may use Grafana, rather than with `allowed_groups`: its list " +
    "is separated by commas or spaces, which names of groups may contain.",
  signOut:
    "Signing out of Grafana opens `signout_redirect_url`. Grafana adds the ID token while the access token is valid, " +
    "so that Gatehouse asks for no confirmation. When a user is blocked or a password changed, the next refresh fails " +
    "and the session in Grafana ends.",
  traps: [
    "Request `offline`, not `offline_access`: Gatehouse drops the latter without `prompt=consent`, and Grafana then " +
      "ends the session when the access token expires after 10 minutes.",
    "Grafana requires an e-mail address. Users without one cannot sign in.",
    "If another account of Grafana already has the e-mail address or the user name, the sign-in fails. Rename or " +
      "remove that account; do not switch the lookup by e-mail address on.",
    "The redirect URI follows from `root_url`. Behind a proxy or below a path it is wrong until `root_url` is set.",
  ],
};
