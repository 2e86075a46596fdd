import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/**
 * Every address of the product and the module that owns it; the engine's own addresses are in oidc/paths.ts, those of
 * the edge (health) in edge/health.server.ts.
 */
export default [
  route("login", "routes/login/login.tsx"),
  route("login/native", "routes/login/native.tsx"),
  route("login/proceed", "routes/login/proceed.tsx"),
  route("login/:provider", "routes/login/provider.tsx"),
  route("login/:provider/callback", "routes/login/provider-callback.tsx"),
  route("login/:provider/account", "routes/login/provider-account.tsx"),

  route("mfa/verify", "routes/mfa/verify.tsx"),
  route("mfa/setup", "routes/mfa/setup.tsx"),
  route("mfa/recovery-codes", "routes/mfa/recovery-codes.tsx"),
  route("mfa/lost", "routes/mfa/lost.tsx"),
  route("mfa/verify-totp", "routes/mfa/verify-totp.ts"),
  route("mfa/init-totp", "routes/mfa/init-totp.ts"),
  route("mfa/setup-totp", "routes/mfa/setup-totp.ts"),
  route("mfa/init-fido2", "routes/mfa/init-fido2.ts"),
  route("mfa/verify-fido2", "routes/mfa/verify-fido2.ts"),
  route("mfa/init-fido2-registration", "routes/mfa/init-fido2-registration.ts"),
  route("mfa/setup-fido2", "routes/mfa/setup-fido2.ts"),

  route("password-reset/request-form", "routes/password-reset/request-form.tsx"),
  route("password-reset/request", "routes/password-reset/request.tsx"),
  route("password-reset/request-status", "routes/password-reset/request-status.tsx"),
  route("password-reset/reset-form", "routes/password-reset/reset-form.tsx"),
  route("password-reset/reset", "routes/password-reset/reset.tsx"),
  route("password-reset/reset-status", "routes/password-reset/reset-status.tsx"),

  route("mfa-reset/reset-form", "routes/mfa-reset/reset-form.tsx"),
  route("mfa-reset/reset", "routes/mfa-reset/reset.tsx"),
  route("mfa-reset/reset-status", "routes/mfa-reset/reset-status.tsx"),
  route("mfa-reset/stop", "routes/mfa-reset/stop.tsx"),

  route("register", "routes/register/register.tsx"),
  route("register/callback", "routes/register/callback.tsx"),
  route("api/v1/rpc/registration/redeem", "routes/api/registration-redeem.ts"),
  route("api/v1/rpc/registration/complete", "routes/api/registration-complete.ts"),

  route("consent", "routes/consent/consent.tsx"),
  route("consent/accept", "routes/consent/accept.tsx"),
  route("consent/reject", "routes/consent/reject.tsx"),

  route("logout", "routes/logout/logout.tsx"),
  route("logout/accept", "routes/logout/accept.tsx"),
  route("logout/reject", "routes/logout/reject.tsx"),
  route("logout/callback", "routes/logout/callback.tsx"),

  layout("routes/manage/layout.tsx", [
    route("manage", "routes/manage/overview.tsx"),
    route("manage/confirm", "routes/manage/confirm.tsx"),
    route("manage/oauth/:provider", "routes/manage/oauth-provider.tsx"),
    route("manage/sessions", "routes/manage/sessions.tsx"),
    route("manage/applications", "routes/manage/applications.tsx"),
    route("manage/activity", "routes/manage/activity.tsx"),
    route("manage/mfa", "routes/manage/mfa/overview.tsx"),
    route("manage/mfa/register-totp", "routes/manage/mfa/register-totp.tsx"),
    route("manage/mfa/register-fido2", "routes/manage/mfa/register-fido2.tsx"),
    route("manage/mfa/totp/remove", "routes/manage/mfa/remove-totp.tsx"),
    route("manage/mfa/keys/:id", "routes/manage/mfa/key.tsx"),
    route("manage/mfa/recovery-codes", "routes/manage/mfa/recovery-codes.tsx"),
    route("manage/credentials/password", "routes/manage/credentials/password.tsx"),
    route("manage/credentials/username", "routes/manage/credentials/username.tsx"),
  ]),
  route("manage/open", "routes/manage/open.ts"),
  route("manage/opening", "routes/manage/opening.tsx"),
  route(".well-known/change-password", "routes/change-password.ts"),
  route("manage/error/:code", "routes/manage/error.tsx"),
  route("manage/*", "routes/manage/error.tsx", { id: "routes/manage/not-found" }),
  route("api/v1/rpc/user/manage/token", "routes/api/manage/token.ts"),
  route("api/v1/rpc/user/manage/userinfo", "routes/api/manage/userinfo.ts"),
  route("api/v1/rpc/user/manage/mfa-registration-status", "routes/api/manage/mfa-registration-status.ts"),
  route("api/v1/rpc/user/manage/mfa-init-totp", "routes/api/manage/mfa-init-totp.ts"),
  route("api/v1/rpc/user/manage/mfa-verify-totp", "routes/api/manage/mfa-verify-totp.ts"),
  route("api/v1/rpc/user/manage/mfa-init-fido2", "routes/api/manage/mfa-init-fido2.ts"),
  route("api/v1/rpc/user/manage/mfa-verify-fido2", "routes/api/manage/mfa-verify-fido2.ts"),
  route("api/v1/rpc/user/manage/password", "routes/api/manage/password.ts"),
  route("api/v1/rpc/user/manage/username", "routes/api/manage/username.ts"),

  route("error", "routes/error.tsx"),
  index("routes/not-found.tsx", { id: "routes/front" }),
  route("*", "routes/not-found.tsx"),
] satisfies RouteConfig;
