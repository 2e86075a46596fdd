/** oidc-provider's routes, on Ory Hydra's paths so that existing clients keep their URLs. */
export const ENGINE_ROUTES = {
  authorization: "/oauth2/auth",
  token: "/oauth2/token",
  revocation: "/oauth2/revoke",
  introspection: "/oauth2/introspect",
  pushed_authorization_request: "/oauth2/par",
  end_session: "/oauth2/sessions/logout",
  userinfo: "/userinfo",
  jwks: "/.well-known/jwks.json",
} as const;
