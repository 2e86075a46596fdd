import type { ReactNode } from "react";
import { ConsentPage, type ConsentPageProps } from "#app/routes/consent/consent-page.tsx";
import { OAuthErrorPage } from "#app/routes/errors/error.tsx";
import { LoginPage, type LoginPageProps } from "#app/routes/login/login-page.tsx";
import { LogoutPage, type LogoutPageProps } from "#app/routes/logout/logout-page.tsx";
import { ServerErrorPage } from "#app/ui/error-page.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { ConsentState, LoginState, LogoutState } from "#app/ui/page-state.ts";

export const APP_URL = "https://suite.example/";

export const CLIENT: ClientLabel = {
  name: "Broker Desk",
  host: "desk.example",
  uri: "https://desk.example/",
};

export function loginState(changes: Partial<LoginState> = {}): LoginState {
  return { login_challenge: "the-challenge", xsrf_token: "the-token", reg_hints: [], ...changes };
}

export function login(state: Partial<LoginState> = {}, props: Partial<LoginPageProps> = {}): ReactNode {
  return <LoginPage state={loginState(state)} client={CLIENT} username="" providers={[]} {...props} />;
}

export function logoutState(changes: Partial<LogoutState> = {}): LogoutState {
  return { status: "pending", logout_challenge: "the-challenge", xsrf_token: "the-token", ...changes };
}

export function logout(state: Partial<LogoutState> = {}, props: Partial<LogoutPageProps> = {}): ReactNode {
  return (
    <LogoutPage
      state={logoutState(state)}
      client={CLIENT}
      accountName="Anna Berger"
      appUrl={APP_URL}
      requestRefused={false}
      {...props}
    />
  );
}

export function consentState(changes: Partial<ConsentState> = {}): ConsentState {
  return {
    client: { name: "Broker Desk", policy_uri: "https://desk.example/privacy" },
    scopes: [{ id: "openid" }, { id: "profile" }, { id: "claims" }],
    consent_challenge: "the-challenge",
    xsrf_token: "the-token",
    ...changes,
  };
}

export function consent(state: Partial<ConsentState> = {}, props: Partial<ConsentPageProps> = {}): ReactNode {
  return (
    <ConsentPage
      state={consentState(state)}
      client={CLIENT}
      accountName="Anna Berger"
      redirectHost="desk.example"
      appUrl={APP_URL}
      {...props}
    />
  );
}

export function serverError(code: number): ReactNode {
  return <ServerErrorPage state={{ server_error: { code, reference: "7f3k-92qd" } }} appUrl={APP_URL} />;
}

/** Every state of every page, by name. */
export const EVERY_PAGE: Readonly<Record<string, ReactNode>> = {
  "sign-in": login(),
  "sign-in with providers": login({}, { providers: ["google", "microsoft", "apple"] }),
  "sign-in without an application": login({}, { client: null }),
  "sign-in, application without address": login({}, { client: { name: "Desk", host: null, uri: null } }),
  "sign-in with a remembered name": login({}, { username: "a.berger", isRemembered: true }),
  "wrong credentials": login({ error: "credentials" }, { username: "a.berger" }),
  "empty fields": login({ error: "username is empty" }, { errors: ["username is empty", "empty-password"] }),
  "empty password": login({ error: "empty-password" }, { username: "a.berger" }),
  throttled: login({ error: "throttled" }, { waitMinutes: 4 }),
  overloaded: login({ error: "overloaded" }),
  "sign-in form expired": login({ error: "xsrf" }, { username: "a.berger" }),
  "challenge, to the application": login({ error: "challenge" }, { nextStep: { kind: "app", url: APP_URL } }),
  "challenge expired": login(
    { error: "challenge" },
    { nextStep: { kind: "restart", reason: "expired", challenge: "the-challenge", username: "a.berger" } },
  ),
  "challenge of another browser": login(
    { error: "challenge" },
    { client: null, nextStep: { kind: "restart", reason: "other-browser", challenge: "the-challenge" } },
  ),
  "challenge expired, database unavailable": login(
    { error: "overloaded" },
    { client: null, nextStep: { kind: "restart", reason: "unavailable", challenge: "the-challenge" } },
  ),
  "signed in already": login({ login_hint: { id: "42", name: "Anna Berger" } }, { username: "a.berger" }),
  "signed in already, form expired": login({ error: "xsrf", login_hint: { id: "42", name: "Anna Berger" } }),
  "sign-in done": login({ login_result: { status: "success", code: null, to_app_url: APP_URL } }),
  "sign-in failed": login({ login_result: { status: "failed", code: "credentials", to_app_url: APP_URL } }),
  "sign-in failed at a provider": login(
    { login_result: { status: "failed", code: "provider failed", to_app_url: APP_URL } },
    { provider: "google" },
  ),
  "sign-in at a provider, account not known": login({ error: "credentials" }, { provider: "google" }),
  "sign-in at a provider, account blocked": login({ error: "credentials" }, { isBlocked: true }),
  "sign-in at a provider, cancelled": login({}, { cancelledProvider: "google" }),
  "sign-in at a provider, not recent": login(
    {},
    { username: "a.berger", notice: { kind: "not recent", provider: "google", hasPassword: true } },
  ),
  "sign-out?": logout(),
  "sign-out form expired": logout({ error: "xsrf" }),
  "sign-out, no challenge": logout({ logout_challenge: "", error: "challenge" }, { client: null, accountName: null }),
  "sign-out failed": logout({ status: "failed" }),
  "signed out": logout({ status: "accepted" }, { client: null }),
  "still signed in": logout({ status: "rejected" }),
  "sign-out, no session": logout({ status: "no-session" }),
  consent: consent(),
  "consent, reject by link": consent({ redirect_uri: "https://desk.example/callback?error=access_denied" }),
  "consent without scopes": consent({ scopes: [] }),
  "consent form expired": consent({ error: "xsrf" }),
  "consent failed": consent({ error: "bad request" }),
  "consent, invalid scope": consent({ error: "invalid-scope-requested" }),
  "consent gone": consent({ error: "challenge", client: null, scopes: [] }, { client: null }),
  "consent gone, restart": consent(
    { error: "challenge", client: null, scopes: [] },
    { client: null, restartChallenge: "the-challenge" },
  ),
  "consent rejected": consent({ status: "rejected" }),
  ...Object.fromEntries(
    [400, 403, 404, 413, 418, 421, 429, 500, 503].map((code) => [`error ${code}`, serverError(code)]),
  ),
  "error of an application": (
    <OAuthErrorPage
      isVerified={false}
      state={{ error: "invalid_request", error_description: "redirect_uri did not match" }}
      appUrl={APP_URL}
      reference="7f3k-92qd"
    />
  ),
  "error of an application, not registered": (
    <OAuthErrorPage
      isVerified={false}
      state={{ error: "invalid_client", error_description: "client is invalid" }}
      appUrl={APP_URL}
      reference="7f3k-92qd"
    />
  ),
  "error of an application, no details": (
    <OAuthErrorPage
      isVerified={false}
      state={{ error: null, error_description: null }}
      appUrl={APP_URL}
      reference="7f3k-92qd"
    />
  ),
};
