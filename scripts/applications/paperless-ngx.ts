import { type Application, ISSUER, signOutUrl } from "./application.ts";

const PAPERLESS = "https://paperless.example.com";
const SCOPES = ["openid", "profile", "email"];

const PROVIDERS = {
  openid_connect: {
    SCOPE: SCOPES,
    OAUTH_PKCE_ENABLED: true,
    APPS: [
      {
        provider_id: "gatehouse",
        name: "Gatehouse",
        client_id: "paperless-ngx",
        secret: "CLIENT_SECRET",
        settings: {
          server_url: ISSUER,
          token_auth_method: "client_secret_basic",
          fetch_userinfo: true,
          uid_field: "sub",
          email_authentication: false,
        },
      },
    ],
  },
};

export const paperlessNgx: Application = {
  id: "paperless-ngx",
  title: "Paperless-ngx",
  version: "Paperless-ngx 2.20 and 3.0",
  client: {
    redirectUris: [`${PAPERLESS}/accounts/oidc/gatehouse/login/callback/`],
    postLogoutRedirectUris: [`${PAPERLESS}/`],
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro:
        "Environment of Paperless-ngx, e.g. `docker-compose.env`. The JSON is one line; replace `CLIENT_SECRET` in " +
        "it. `provider_id` is part of the redirect URI.",
      language: "ini",
      text: `PAPERLESS_URL=${PAPERLESS}
PAPERLESS_APPS=allauth.socialaccount.providers.openid_connect
PAPERLESS_SOCIALACCOUNT_PROVIDERS=${JSON.stringify(PROVIDERS)}
PAPERLESS_SOCIAL_AUTO_SIGNUP=true
PAPERLESS_LOGOUT_REDIRECT_URL=${signOutUrl("paperless-ngx", `${PAPERLESS}/`)}`,
    },
  ],
  users:
    "django-allauth, which Paperless-ngx uses, finds users by the claim in `uid_field`, here `sub` (the default). " +
    "`email_authentication: false` keeps it from signing in users with the e-mail address of an existing account; " +
    "for this provider it has precedence over `SOCIALACCOUNT_EMAIL_AUTHENTICATION`. Owners of existing accounts sign " +
    "in with their password once and connect Gatehouse in their profile.",
  groups:
    "To take over groups, register the client with `--scope groups` too, add `groups` to `SCOPE`, set " +
    "`PAPERLESS_SOCIAL_ACCOUNT_SYNC_GROUPS=true`, and create groups with the same names and their permissions in " +
    "Paperless-ngx. At each sign-in, the user becomes a member of exactly those that the claim `groups` contains; names " +
    "without a group in Paperless-ngx are ignored. Rename a group in both.",
  signOut:
    "`PAPERLESS_LOGOUT_REDIRECT_URL` opens the sign-out of Gatehouse, without an ID token. The user therefore has to " +
    "confirm the sign-out. A session that ends at Gatehouse does not end in Paperless-ngx.",
  traps: [
    "The redirect URI ends with a slash.",
    "An env file of Docker contains the JSON as above. A shell or an `EnvironmentFile` of systemd removes its quotes, " +
      "unless the whole value is in single quotes.",
    "Without `SCOPE`, some versions of django-allauth also request `groups`. If the client is not registered for it, " +
      "Gatehouse responds with `invalid_scope`.",
    "`fetch_userinfo` is needed: the ID token contains no name and no e-mail address.",
    "New accounts have no permissions in Paperless-ngx. An administrator grants them, or they come from groups.",
    "Set `PAPERLESS_DISABLE_REGULAR_LOGIN` only after an administrator has signed in with Gatehouse.",
  ],
};
