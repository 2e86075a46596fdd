import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** Every URL and its module, except those in oidc/paths.ts (OpenID provider) and middleware/health.server.ts. */
export default [
  route("login", "routes/login/login.tsx"),
  route("login/native", "routes/login/native.tsx"),
  route("login/proceed", "routes/login/proceed.tsx"),
  route("login/password-notice", "routes/login/password-notice.tsx"),
  route("login/no-access", "routes/login/no-access.tsx"),
  route("login/:provider", "routes/login/provider/start.tsx"),
  route("login/:provider/callback", "routes/login/provider/callback.tsx"),
  route("login/:provider/account", "routes/login/provider/account.tsx"),

  route("mfa/verify", "routes/second-factor/verify.tsx"),
  route("mfa/setup", "routes/second-factor/setup.tsx"),
  route("mfa/recovery-codes", "routes/second-factor/recovery-codes.tsx"),
  route("mfa/lost", "routes/second-factor/lost.tsx"),
  call("mfa/verify-totp"),
  call("mfa/init-totp"),
  call("mfa/setup-totp"),
  call("mfa/init-fido2"),
  call("mfa/verify-fido2"),
  call("mfa/init-fido2-registration"),
  call("mfa/setup-fido2"),

  route("password-reset/request-form", "routes/password-reset/request-form.tsx"),
  route("password-reset/request", "routes/password-reset/request-form.tsx", { id: "routes/password-reset/request" }),
  route("password-reset/request-status", "routes/password-reset/request-status.tsx"),
  route("password-reset/reset-form", "routes/password-reset/reset-form.tsx"),
  route("password-reset/reset", "routes/password-reset/reset-form.tsx", { id: "routes/password-reset/reset" }),
  route("password-reset/reset-status", "routes/password-reset/reset-status.tsx"),

  route("mfa-reset/reset-form", "routes/factor-reset/reset-form.tsx"),
  route("mfa-reset/reset", "routes/factor-reset/reset.tsx"),
  route("mfa-reset/reset-status", "routes/factor-reset/reset-status.tsx"),
  route("mfa-reset/stop", "routes/factor-reset/stop.tsx"),

  route("login/not-me", "routes/not-me/not-me.tsx"),
  route("email-change/confirm", "routes/email-change/confirm.tsx"),
  route("email-change/undo", "routes/email-change/undo.tsx"),

  route("register", "routes/login/register/register.tsx"),
  route("register/callback", "routes/login/register/callback.tsx"),
  call("api/v1/rpc/registration/redeem"),
  call("api/v1/rpc/registration/complete"),

  route("consent", "routes/consent/consent.tsx"),
  route("consent/accept", "routes/consent/accept.tsx"),
  route("consent/reject", "routes/consent/reject.tsx"),

  route("logout", "routes/logout/logout.tsx"),
  route("logout/accept", "routes/logout/accept.tsx"),
  route("logout/reject", "routes/logout/reject.tsx"),
  route("logout/callback", "routes/logout/callback.tsx"),

  layout("routes/settings/layout.tsx", [
    layout("routes/settings/error/boundary.tsx", [
      route("manage", "routes/settings/overview/overview.tsx"),
      route("manage/confirm", "routes/settings/opening/confirm.tsx"),
      route("manage/oauth/:provider", "routes/settings/providers/provider.tsx"),
      route("manage/sessions", "routes/settings/sessions/sessions.tsx"),
      route("manage/applications", "routes/settings/applications/applications.tsx"),
      route("manage/activity", "routes/settings/activity/activity.tsx"),
      route("manage/mfa", "routes/settings/two-step/overview.tsx"),
      route("manage/mfa/default-method", "routes/settings/two-step/choose-default.tsx"),
      route("manage/mfa/register-totp", "routes/settings/authenticator-app/register.tsx"),
      route("manage/mfa/register-fido2", "routes/settings/security-keys/register.tsx"),
      route("manage/mfa/totp/remove", "routes/settings/authenticator-app/remove.tsx"),
      route("manage/mfa/keys/:id", "routes/settings/security-keys/key.tsx"),
      route("manage/mfa/keys/:id/remove", "routes/settings/security-keys/remove.tsx"),
      route("manage/mfa/recovery-codes", "routes/settings/recovery-codes/recovery-codes.tsx"),
      route("manage/credentials/password", "routes/settings/password/password.tsx"),
      route("manage/language", "routes/settings/language/language.tsx"),
      route("manage/credentials/username", "routes/settings/username/username.tsx"),
      route("manage/profile/name", "routes/settings/profile/name.tsx"),
      route("manage/profile/email", "routes/settings/profile/email.tsx"),
      route("manage/profile/phone", "routes/settings/profile/phone.tsx"),
      route("manage/sessions/forget-device", "routes/settings/sessions/forget-device.tsx"),
      route("manage/sign-out", "routes/settings/opening/sign-out.tsx"),
      route("manage/error/:code", "routes/settings/error/error.tsx"),
      route("manage/*", "routes/settings/error/error.tsx", { id: "routes/manage/not-found" }),
    ]),
  ]),
  layout("routes/settings/administration/layout.tsx", [
    route("manage/admin", "routes/settings/administration/first-page.ts"),
    route("manage/admin/*", "routes/settings/administration/not-found.ts"),
  ]),
  route("manage/open", "routes/settings/opening/open.ts"),
  route("manage/opening", "routes/settings/opening/opening.tsx"),
  route(".well-known/change-password", "routes/settings/opening/change-password.ts"),
  route("manage/error/unauthorized", "routes/settings/error/unauthorized.tsx"),
  call("api/v1/rpc/user/manage/token"),
  call("api/v1/rpc/user/manage/userinfo"),
  call("api/v1/rpc/user/manage/mfa-registration-status"),
  call("api/v1/rpc/user/manage/mfa-init-totp"),
  call("api/v1/rpc/user/manage/mfa-verify-totp"),
  call("api/v1/rpc/user/manage/mfa-init-fido2"),
  call("api/v1/rpc/user/manage/mfa-verify-fido2"),
  call("api/v1/rpc/user/manage/password"),
  call("api/v1/rpc/user/manage/username"),
  call("api/v1/rpc/user/manage/oauth/accounts"),
  call("api/v1/rpc/user/manage/oauth/:provider"),
  call("api/v1/rpc/user/manage/oauth/connect-url/:provider"),

  route("error", "routes/errors/error.tsx"),
  index("routes/front/front.tsx"),
  route("clients/:id/logo", "routes/front/logo.ts"),
  route("*", "routes/errors/not-found.tsx"),
] satisfies RouteConfig;

/** A JSON call; the tables in routes/api/ have its method, schema and handler. */
function call(path: string) {
  return route(path, "routes/api/call.ts", { id: `routes/api/${path}` });
}
