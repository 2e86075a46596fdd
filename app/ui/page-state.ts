import type { ErrorCode } from "#app/domain/base/errors.ts";

// State of each page, serialised into `data-state` of the root element. Keys are snake_case except where the
// specification differs. Routes build these values; components, tests and client scripts read them.

export type RegistrationHint = { key: string; value: string };

/** The account of a live session: `id` is posted as `user`, `name` is the display name. */
export type LoginHint = { id: string; name: string };

/** Result of a sign-in that cannot continue: `code` is null for a success, `to_app_url` is the next step. */
export type LoginResult = { status: "success" | "failed"; code: string | null; to_app_url: string };

/** The accounts linked to an external identity. Blocked accounts are shown but cannot be chosen. */
export type AccountSelection = {
  accounts: {
    id: string;
    name: string;
    username: string;
    group_name: string | null;
    blocked: boolean;
    last_used: boolean;
  }[];
  token: string;
  login_challenge: string;
};

/** Errors of the account selection: no account or an invalid account was chosen, or the form has expired. */
export type AccountSelectionError = Extract<ErrorCode, "bad request" | "credentials" | "xsrf">;

export type AccountSelectionState = {
  error?: AccountSelectionError | undefined;
  account_selection: AccountSelection;
  xsrf_token: string;
};

export type LoginState = {
  /** `challenge` disables the form. */
  error?: ErrorCode | undefined;
  login_challenge: string;
  xsrf_token: string;
  reg_hints: RegistrationHint[];
  login_hint?: LoginHint | undefined;
  login_result?: LoginResult | undefined;
};

export type ConsentState = {
  /** Null if the challenge matches no request; nothing of a request is shown then. */
  client: { name: string; policy_uri: string | null } | null;
  scopes: { id: string }[];
  consent_challenge: string;
  /** If set, rejecting is a link to this URI; otherwise a POST to /consent/reject. */
  redirect_uri?: string | undefined;
  /** `challenge`, `invalid-scope-requested` and `xsrf` have their own pages; any other code shows the generic error. */
  error?: ErrorCode | undefined;
  /** Set after a rejection that could not redirect to the client. */
  status?: "rejected" | undefined;
  xsrf_token: string;
};

/** `pending` without a valid `logout_challenge` has the error `challenge`. */
export type LogoutState = {
  /** `no-session`: a client requested a logout, but the browser has no session. */
  status: "pending" | "failed" | "accepted" | "rejected" | "no-session";
  logout_challenge: string;
  error?: Extract<ErrorCode, "challenge" | "xsrf"> | undefined;
  xsrf_token: string;
};

/** Errors of the second-factor step. `unauthorized` and `challenge` end the step. */
export type SecondFactorError = Extract<
  ErrorCode,
  | "unauthorized"
  | "challenge"
  | "invalid verification code"
  | "security key not found"
  | "security key refused"
  | "factor already registered"
  | "totp already registered"
  | "totp not found"
  | "throttled"
  | "overloaded"
  | "xsrf"
>;

/** State of every page of the second-factor step, including set-up in place. `token` is the mfa_token. */
export type SecondFactorState = {
  totpRegistered: boolean;
  /** Same value as `totpRegistered`; the specification uses both names. */
  totp_registered: boolean;
  fido2Registered: boolean;
  loginChallenge: string;
  xsrfToken: string;
  token: string;
  error?: SecondFactorError | undefined;
};

/** State of the page that reports a mailed password reset during a sign-in. */
export type PasswordNoticeState = { error?: "xsrf" | undefined; login_challenge: string; xsrf_token: string };

/** State of the page that offers a passkey after a sign-in. */
export type PasskeyOfferState = {
  error?: "xsrf" | "security key refused" | "throttled" | undefined;
  login_challenge: string;
  xsrf_token: string;
};

/** State of the page for a user who may not use the application. */
export type NoAccessState = { error?: "xsrf" | undefined; login_challenge: string; xsrf_token: string };

export type PasswordResetRequestState = { error?: ErrorCode | undefined; xsrf_token: string };

export type PasswordResetState = {
  error?: ErrorCode | undefined;
  xsrf_token: string;
  reset_token: string;
};

/** State of the page that confirms a factor reset. */
export type FactorResetState = { error?: "xsrf" | undefined; xsrf_token: string; reset_token: string };

/** State of the page that cancels a factor reset. */
export type FactorResetStopState = { error?: "xsrf" | undefined; xsrf_token: string; stop_token: string };

/** State of each page for help of the administration. */
export type HelpState = { error?: ErrorCode | undefined; xsrf_token: string };

/** State of the page that ends all access after a notice about something that the user did not do. */
export type NotMeState = { error?: "xsrf" | undefined; xsrf_token: string; not_me_token: string };

/** State of the page that confirms a new e-mail address. */
export type EmailChangeState = { error?: "xsrf" | undefined; xsrf_token: string; change_token: string };

/** State of the page that restores the e-mail address before a change. */
export type EmailUndoState = { error?: "xsrf" | undefined; xsrf_token: string; undo_token: string };

/** State of a status page. Each page has its own values; any other value shows a technical error. */
export type StatusState = { status: string };

/** `code` is the HTTP status, `reference` the request id in the log; 0 and null if no response arrived. */
export type ServerErrorState = { server_error: { code: number; reference: string | null } };

/** The parameters of /error, truncated; null if absent. */
export type OAuthErrorState = { error: string | null; error_description: string | null };

/**
 * State of every page of the settings. A page adds the response of its API call under the same names. `token` is the
 * bearer token of the page's first API call.
 */
export type SettingsState = {
  token: string;
  xsrf_token: string;
  user_id: string;
  display_name: string;
  picture: string | null;
  return_to_url: string | null;
};

/** State of a settings page whose form can fail with any error code. */
export type SettingsFormState = SettingsState & { error?: ErrorCode | undefined };

/** State of the overview; `status` and `oauth-error` are query parameters. */
export type OverviewState = SettingsState & { status?: string | undefined; "oauth-error"?: string | undefined };

/** State of the second-factor overview: the response of mfa-registration-status, and `status` as on the overview. */
export type TwoStepState = SettingsState & {
  totp_registered: boolean;
  count_registered_fido2_devices: number;
  status?: string | undefined;
};

/** State of the TOTP set-up: the response of mfa-init-totp; empty if an app is already registered. */
export type OwnTotpState = SettingsFormState & {
  qr_code?: string | undefined;
  secret?: string | undefined;
};

/** State of a settings page whose form can only fail because it expired. */
export type RefusableState = SettingsState & { error?: "xsrf" | undefined };

/** State of a list in the settings (sessions, applications), and `status` as on the overview. */
export type OwnListState = RefusableState & { status?: string | undefined };

export type OwnCodesState = SettingsState & { error?: Extract<ErrorCode, "xsrf" | "overloaded"> | undefined };

/** State of the user-name form; `username` is the current name. */
export type UsernameState = SettingsFormState & { username: string };

/** State of the start page. */
export type StartState = { user_id: string; display_name: string; picture: string | null };

/** State of the page that confirms which account's settings are opened. */
export type OpeningState = { display_name: string; xsrf_token: string; error?: "xsrf" | undefined };

/** State of an error page in the settings, with an arbitrary code. */
export type SettingsErrorState = { error: string };
