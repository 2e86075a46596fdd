import { type Application, ISSUER } from "./application.ts";

const CLOUD = "https://cloud.example.com";
const SCOPES = ["openid", "profile", "email"];

export const nextcloud: Application = {
  id: "nextcloud",
  title: "Nextcloud",
  version: "Nextcloud with the app `user_oidc` 8 (OpenID Connect user backend)",
  client: {
    redirectUris: [`${CLOUD}/apps/user_oidc/code`, `${CLOUD}/index.php/apps/user_oidc/code`],
    postLogoutRedirectUris: [`${CLOUD}/`],
    backchannelLogoutUri: `${CLOUD}/index.php/apps/user_oidc/backchannel-logout/gatehouse`,
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro:
        "Run in the folder of Nextcloud. `gatehouse`, the first argument, is also the last part of the back-channel " +
        "logout URI.",
      language: "sh",
      text: `read -rs CLIENT_SECRET && export CLIENT_SECRET
sudo -u www-data --preserve-env=CLIENT_SECRET php occ user_oidc:provider gatehouse \\
  --clientid=nextcloud --clientsecret-env=CLIENT_SECRET \\
  --discoveryuri=${ISSUER}/.well-known/openid-configuration \\
  --scope="${SCOPES.join(" ")}" \\
  --unique-uid=1 --mapping-uid=sub --mapping-display-name=name --mapping-email=email \\
  --send-id-token-hint=1 --postlogouturi=${CLOUD}/`,
    },
  ],
  users:
    "`--mapping-uid=sub` finds users by `sub`, and `--unique-uid=1` makes their Nextcloud user id a hash of provider " +
    "and `sub`, which cannot be the id of another account. The e-mail address is only stored. With `--unique-uid=0` " +
    "and `--mapping-uid=preferred_username`, a user could sign in to the local account of that name, because user " +
    "names can be changed and `soft_auto_provision` is on by default.",
  groups:
    "To take over groups, register the client with `--scope groups` too, add `groups` to the `--scope` of the provider, " +
    "and set `--group-provisioning=1` and `--mapping-groups=groups`. At each sign-in, Nextcloud creates missing groups, " +
    "adds the user to those of the claim, and removes the user from all others, also from `admin`. " +
    "`--group-whitelist-regex` limits this to the groups that match; memberships of others are kept. A renamed group is " +
    "another group for Nextcloud: shares with the former one stay with that.",
  signOut:
    "Signing out of Nextcloud also ends the session at Gatehouse (`single_logout`, on by default). With the " +
    "back-channel logout URI, a session that ends at Gatehouse also ends in Nextcloud.",
  traps: [
    "`--clientsecret-env` is missing in older versions of the app (`php occ user_oidc:provider --help`). Enter the " +
      "secret in the administration settings instead; `--clientsecret` would show it in the list of processes.",
    "Name and e-mail address arrive in the ID token because the app requests them with the `claims` parameter. If " +
      "`enable_default_claims` is off, only mapped claims are requested. The claim `quota`, which the app also " +
      "requests, does not exist and is left out; so is `groups` unless the scope is registered.",
    "Nextcloud sends no requests to private addresses. If Gatehouse has one, `allow_local_remote_servers` in " +
      "`config.php` has to be `true`.",
  ],
};
