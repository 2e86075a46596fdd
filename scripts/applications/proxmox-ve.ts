import { type Application, ISSUER, withoutOpenid } from "./application.ts";

const SCOPES = ["openid", "profile", "email"];

export const proxmoxVe: Application = {
  id: "proxmox-ve",
  title: "Proxmox VE",
  version: "Proxmox VE 8.4 and 9",
  client: {
    redirectUris: ["https://pve.example.com:8006"],
    scopes: SCOPES,
    authMethod: "client_secret_basic",
    sendsPkce: true,
  },
  settings: [
    {
      intro:
        "Run on one node, or enter the same values under Datacenter > Permissions > Realms > Add > OpenID Connect " +
        "Server, which keeps the secret out of the list of processes.",
      language: "sh",
      text: `read -rs CLIENT_SECRET
pveum realm add gatehouse --type openid --issuer-url ${ISSUER} \\
  --client-id proxmox-ve --client-key "$CLIENT_SECRET" \\
  --username-claim sub --scopes "${withoutOpenid(SCOPES)}" --autocreate 1`,
    },
    {
      intro: "A new user has no rights. Grant them to `id@gatehouse`; `gatehouse user show anna.berger` prints the id.",
      language: "sh",
      text: `ID=0123456789abcdef0123456789abcdef
pveum user modify "$ID@gatehouse" --comment "Anna Berger"
pveum acl modify / --users "$ID@gatehouse" --roles PVEAuditor`,
    },
  ],
  users:
    "The user id in Proxmox VE is the username claim and the realm. With `--username-claim sub` it never changes and " +
    "belongs to one account. With `email` or `username`, whoever takes over an address or a user name would get the " +
    "rights that were granted to it: users can change their user name in the login settings, and addresses may be " +
    "unverified.",
  signOut:
    "Proxmox VE ends only its own session, and has no setting for the sign-out at Gatehouse. A session that ends at " +
    "Gatehouse does not end in Proxmox VE; its tickets are valid for two hours, and the web interface renews them.",
  traps: [
    "The redirect URI is the address in the browser, with the port and **without a trailing slash**. Every address at " +
      "which users open a node needs one: repeat `--redirect-uri`.",
    "The username claim cannot be changed later. Remove the realm and add it again.",
    "`--scopes` does not contain `openid`, which Proxmox VE adds.",
    "The nodes request Gatehouse themselves, through the proxy of the data center if one is set, and have to trust " +
      "its certificate.",
    "Groups: register the scope `permissions`, add it to `--scopes`, and set `--groups-claim permissions`. The names of " +
      "the groups in Proxmox VE then end with `-gatehouse`.",
  ],
};
