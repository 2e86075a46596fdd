import { type Application, ISSUER } from "./application.ts";

const ZAMMAD = "https://zammad.example.com";
const SCOPES = ["openid", "profile", "email"];

export const zammad: Application = {
  id: "zammad",
  title: "Zammad",
  version: "Zammad 6.5 and 7",
  client: {
    redirectUris: [`${ZAMMAD}/auth/openid_connect/callback`],
    postLogoutRedirectUris: [`${ZAMMAD}/`],
    backchannelLogoutUri: `${ZAMMAD}/auth/openid_connect/backchannel_logout`,
    scopes: SCOPES,
    authMethod: "none",
    sendsPkce: true,
  },
  settings: [
    {
      intro: "Settings > Security > Third-party Applications > Authentication via OpenID Connect.",
      fields: [
        ["Display name", "`Gatehouse`"],
        ["Identifier", "`zammad`"],
        ["Issuer", `\`${ISSUER}\``],
        ["UID Field", "`sub`"],
        ["Scopes", `\`${SCOPES.join(" ")}\``],
        ["PKCE", "yes"],
        ["Automatic account link on initial logon (same page)", "**no**"],
      ],
    },
    {
      intro:
        "The form has no field for a secret, so that Zammad is a public client. Its library nevertheless sends an " +
        "`Authorization` header with an empty secret, which Gatehouse refuses (`invalid_request`). This command makes " +
        "it send the client_id in the body. Run it again after each change of the form, and restart Zammad.",
      language: "sh",
      text: `zammad run rails r "
  settings = Setting.get('auth_openid_connect_credentials')
  Setting.set('auth_openid_connect_credentials', settings.merge('client_auth_method' => 'post'))
"
systemctl restart zammad`,
    },
  ],
  users:
    "Zammad stores the value of the UID field, `sub`, with the account at the first sign-in and finds the user by it " +
    'from then on. With "Automatic account link on initial logon" (`auth_third_party_auto_link_at_inital_login`), the ' +
    "first sign-in is linked to an existing account with the same e-mail address: whoever entered the address of an " +
    "agent would be signed in as that agent. Without it, owners of existing accounts sign in with their password once " +
    "and link Gatehouse in their profile.",
  signOut:
    "Signing out of Zammad opens the sign-out of Gatehouse. If users do not return to Zammad, the log of Gatehouse has " +
    "`sign-out.refused`: register the address that Zammad sent with `--post-logout-redirect-uri`. With the " +
    "back-channel logout URI, a session that ends at Gatehouse also ends in Zammad.",
  traps: [
    "Without the automatic link, a user whose e-mail address already belongs to an account is refused until the owner " +
      "has linked it.",
    "New users get the role that is assigned at signup, usually Customer. An administrator makes them agents.",
    "Host name and protocol of the redirect URI are the settings FQDN and HTTP type of Zammad.",
    "Separate the scopes with spaces, without commas.",
  ],
};
