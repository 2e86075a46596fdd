/** The issuer of the examples. */
export const ISSUER = "https://login.example.com";

/** Settings of an application: fields of a form, or text to paste. */
type Settings = { intro: string } & (
  | { fields: readonly (readonly [name: string, value: string])[] }
  | { language: string; text: string }
);

/** An application that is not part of Gatehouse, and the client to register for it. Texts are Markdown. */
export type Application = {
  /** Name of the page, and client_id. */
  id: string;
  title: string;
  /** Versions that the settings are for. */
  version: string;
  client: {
    redirectUris: readonly string[];
    postLogoutRedirectUris?: readonly string[];
    backchannelLogoutUri?: string;
    scopes: readonly string[];
    /** `none`: a public client. */
    authMethod: "client_secret_basic" | "client_secret_post" | "none";
    /** False if the application sends no code challenge. */
    sendsPkce: boolean;
  };
  settings: readonly Settings[];
  /** States how the application finds its users, and what keeps it from finding them by their e-mail address. */
  users: string;
  /** States how the groups of Gatehouse become groups or roles of the application. */
  groups?: string;
  signOut: string;
  traps: readonly string[];
};

/** Returns scopes for a setting to which the application itself adds `openid`. */
export function withoutOpenid(scopes: readonly string[]): string {
  return scopes.filter((scope) => scope !== "openid").join(" ");
}

/** Returns the sign-out URL for applications that have no ID token to send. */
export function signOutUrl(clientId: string, returnTo: string): string {
  const query = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: returnTo });
  return `${ISSUER}/oauth2/sessions/logout?${query}`;
}
