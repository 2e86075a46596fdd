import { type Application, ISSUER } from "./application.ts";

const NAS = "https://nas.example.com";
const SCOPES = ["openid", "profile"];

export const synologyDsm: Application = {
  id: "synology-dsm",
  title: "Synology DSM",
  version: "DSM 7.2 or later",
  client: {
    redirectUris: [NAS, `${NAS}/`],
    scopes: SCOPES,
    authMethod: "client_secret_post",
    sendsPkce: false,
  },
  settings: [
    {
      intro:
        "Control Panel > Domain/LDAP > SSO Client > Enable OpenID Connect SSO service > OpenID Connect SSO Settings.",
      fields: [
        ["Profile", "`OIDC`"],
        ["Account type", "`Domain/LDAP/local`"],
        ["Name", "`Gatehouse`"],
        ["Well-known URL", `\`${ISSUER}/.well-known/openid-configuration\``],
        ["Application ID", "`synology-dsm`"],
        ["Application secret", "the client secret"],
        ["Redirect URL", `\`${NAS}\``],
        ["Authorization scope", `\`${SCOPES.join(" ")}\``],
        ["Username claim", "`sub`"],
      ],
    },
  ],
  users:
    "DSM creates no accounts: it signs in to the existing account whose name is the value of the username claim. " +
    "Only `sub` is safe there. Users can change `preferred_username` in the login settings, and could take the name of " +
    "an account of the NAS; an e-mail address may be unverified. Name the account of DSM by the `id` that " +
    "`gatehouse user show anna.berger` prints, and enter the name of the person in its description. If accounts " +
    "cannot be named like this (e.g. from a shared LDAP directory), do not use single sign-on for accounts with " +
    "administrator rights.",
  signOut:
    "DSM ends only its own session, and has no setting for the sign-out at Gatehouse. A session that ends at " +
    "Gatehouse does not end in DSM.",
  traps: [
    "DSM sends no code challenge, hence `--no-pkce`.",
    "DSM accepts ID tokens signed with RS256 only. Do not register it with `--id-token-alg ES256`.",
    "The redirect URL is the address at which users open DSM, with the port if there is one (`:5001`). A second " +
      "address (QuickConnect, the local network) needs a redirect URI of its own, and does not work with the first.",
    'DSM 7.1 and earlier have no account type; local accounts get "wrong user name or password" there.',
    'DSM opens the sign-in in a window. A browser that blocks it shows "not privilege".',
    "File services (SMB) and applications that do not open the sign-in page of DSM need the password of the account.",
  ],
};
