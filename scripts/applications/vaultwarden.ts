import { type Application, ISSUER, withoutOpenid } from "./application.ts";

const VAULT = "https://vault.example.com";
const SCOPES = ["openid", "profile", "email", "offline"];

export const vaultwarden: Application = {
  id: "vaultwarden",
  title: "Vaultwarden",
  version: "Vaultwarden 1.37",
  client: {
    redirectUris: [`${VAULT}/identity/connect/oidc-signin`],
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro: "Environment of Vaultwarden. Replace `CLIENT_SECRET`.",
      language: "ini",
      text: `DOMAIN=${VAULT}
SSO_ENABLED=true
SSO_ONLY=false
SSO_AUTHORITY=${ISSUER}
SSO_CLIENT_ID=vaultwarden
SSO_CLIENT_SECRET=CLIENT_SECRET
SSO_SCOPES="${withoutOpenid(SCOPES)}"
SSO_PKCE=true
SSO_SIGNUPS_MATCH_EMAIL=false
SSO_ALLOW_UNKNOWN_EMAIL_VERIFICATION=false`,
    },
  ],
  users:
    "Vaultwarden stores issuer and `sub` with the account at the first sign-in and finds the user by them from then " +
    "on. `SSO_SIGNUPS_MATCH_EMAIL=false` keeps it from linking an existing account that has the same e-mail address; " +
    "**the default is `true`**. The master password is still required, and only it decrypts the vault.",
  signOut:
    "Signing out of Vaultwarden does not end the session at Gatehouse. When a user is blocked or a password changed, " +
    "the next refresh fails and the session in Vaultwarden ends, unless `SSO_AUTH_ONLY_NOT_SESSION` is `true`.",
  traps: [
    "The e-mail address has to be verified. If an administrator entered it and it is known to be the user's, run " +
      "`gatehouse user set anna.berger --email-verified`.",
    "With `SSO_SIGNUPS_MATCH_EMAIL=false`, users with an existing account are refused. If all existing accounts have " +
      "to be linked, set it to `true` while no one can enter an unverified address, and back to `false` afterwards. " +
      "Use 1.36.0 or later for this: earlier versions did not check `email_verified` of existing accounts " +
      "(advisory GHSA-6x5c-84vm-5j56 of Vaultwarden).",
    "Request `offline`, not `offline_access`: Gatehouse drops the latter without `prompt=consent`, and clients of the " +
      "vault are signed out when the access token expires after 10 minutes.",
    "`SSO_AUTHORITY` has no trailing slash. Vaultwarden adds `openid` to `SSO_SCOPES`.",
    "Set `SSO_ONLY=true` only after a sign-in with Gatehouse has succeeded.",
  ],
};
