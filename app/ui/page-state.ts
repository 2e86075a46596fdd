import type { ErrorCode } from "#app/domain/errors.ts";

// The page's state as it stands in `data-state` on the root element. The names are the contract's, snake_case on the
// wire; routes build these values, screens read them, tests and the enhance script may look at them.

/** What can be wrong with the sign-in form. `challenge` switches it off; all others leave it usable. */
export type LoginError = Extract<
  ErrorCode,
  "challenge" | "credentials" | "throttled" | "overloaded" | "xsrf" | "username is empty" | "empty-password"
>;

export type RegistrationHint = { key: string; value: string };

/** The account a live session belongs to: `id` is posted as `user`, `name` is the display name. */
export type LoginHint = { id: string; name: string };

/** How a sign-in ended that cannot go on: `code` is null for a success, `to_app_url` is the way on. */
export type LoginResult = { status: "success" | "failed"; code: string | null; to_app_url: string };

/** Which of the accounts that an external identity opens; `blocked` ones are shown and cannot be chosen. */
export type AccountSelection = {
  accounts: { id: string; name: string; group_name: string | null; blocked: boolean }[];
  token: string;
  login_challenge: string;
};

/** What can be wrong with the choice: nothing was chosen, something that cannot be, or a form that is too old. */
export type AccountSelectionError = Extract<ErrorCode, "bad request" | "credentials" | "xsrf">;

export type AccountSelectionState = {
  error?: AccountSelectionError | undefined;
  account_selection: AccountSelection;
  xsrf_token: string;
};

export type LoginState = {
  error?: LoginError | undefined;
  login_challenge: string;
  xsrf_token: string;
  reg_hints: RegistrationHint[];
  login_hint?: LoginHint | undefined;
  login_result?: LoginResult | undefined;
};

export type ConsentState = {
  /** Null where the challenge does not lead to a request: then nothing of any request is shown. */
  client: { name: string; policy_uri: string | null } | null;
  scopes: { id: string }[];
  consent_challenge: string;
  /** If set, rejecting is a link to it; otherwise a submit to /consent/reject. */
  redirect_uri?: string | undefined;
  /** `challenge`, `invalid-scope-requested` and `xsrf` have states of their own; any other code is the generic one. */
  error?: ErrorCode | undefined;
  /** Only after a reject that could not go back to the application. */
  status?: "rejected" | undefined;
  xsrf_token: string;
};

/** `pending` without a valid `logout_challenge` carries the error `challenge`. */
export type LogoutState = {
  /** `no-session`: an application asked for a sign-out, and nobody is signed in in this browser. */
  status: "pending" | "failed" | "accepted" | "rejected" | "no-session";
  logout_challenge: string;
  error?: Extract<ErrorCode, "challenge" | "xsrf"> | undefined;
  xsrf_token: string;
};

/**
 * What can be wrong in the second-factor step. `unauthorized` and `challenge` end it: there is no sign-in to go on with.
 */
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
  | "xsrf"
>;

/** The state of every page of the step, also while a factor is set up in it. `token` is the mfa_token. */
export type SecondFactorState = {
  totpRegistered: boolean;
  /** The same again: clients of the page know it by either name. */
  totp_registered: boolean;
  fido2Registered: boolean;
  loginChallenge: string;
  xsrfToken: string;
  token: string;
  error?: SecondFactorError | undefined;
};

/** The state of the page that shows a mailed password reset in the middle of a sign-in. */
export type PasswordNoticeState = { error?: "xsrf" | undefined; login_challenge: string; xsrf_token: string };

/** What can be wrong with the form that asks for a link to a new password. */
export type PasswordResetRequestError = Extract<ErrorCode, "empty-username" | "xsrf" | "throttled" | "overloaded">;

export type PasswordResetRequestState = { error?: PasswordResetRequestError | undefined; xsrf_token: string };

/** What can be wrong with the form for a new password. */
export type PasswordResetError = Extract<
  ErrorCode,
  | "empty-password"
  | "empty-password-repeat"
  | "passwords-not-equal"
  | "password-strength"
  | "password-common"
  | "xsrf"
  | "overloaded"
>;

export type PasswordResetState = {
  error?: PasswordResetError | undefined;
  xsrf_token: string;
  reset_token: string;
};

/** The state of the page that asks whether all second factors shall go. */
export type FactorResetState = { error?: "xsrf" | undefined; xsrf_token: string; reset_token: string };

/** The state of the page that asks whether a reset of the factors shall be stopped. */
export type FactorResetStopState = { error?: "xsrf" | undefined; xsrf_token: string; stop_token: string };

/** The state of a page that tells how something went. Each page knows its words; any other word is a technical error. */
export type StatusState = { status: string };

/** `code` is the HTTP status of the page, `reference` the id that is in the log. */
export type ServerErrorState = { server_error: { code: number; reference: string } };

/** What /error was asked to show: both already cut to their length, null where the query has none. */
export type OAuthErrorState = { error: string | null; error_description: string | null };

/**
 * The state of every page of the login settings; a page adds what its call of the API answers, under the same names.
 * `token`: the bearer token of the page's first call.
 */
export type SettingsState = {
  token: string;
  xsrf_token: string;
  user_id: string;
  display_name: string;
  picture: string | null;
  return_to_url: string | null;
};

/** A page of the settings with a form that may be refused for any reason. */
export type SettingsFormState = SettingsState & { error?: ErrorCode | undefined };

/** The overview: `status` and `oauth-error` as they stood in the address. */
export type OverviewState = SettingsState & { status?: string | undefined; "oauth-error"?: string | undefined };

/** The second factors: what the API's call mfa-registration-status answers, and `status` as on the overview. */
export type TwoStepState = SettingsState & {
  totp_registered: boolean;
  count_registered_fido2_devices: number;
  status?: string | undefined;
};

/** What can be wrong with the form that ends the set-up of an authenticator app. */
export type OwnTotpError = Extract<
  ErrorCode,
  "invalid verification code" | "totp already registered" | "totp not found" | "throttled" | "xsrf"
>;

/** An authenticator app is set up: what the API's call mfa-init-totp answers; nothing where there is one already. */
export type OwnTotpState = SettingsState & {
  error?: OwnTotpError | undefined;
  qr_code?: string | undefined;
  secret?: string | undefined;
};

/** A page of the settings with a form in which nothing can be wrong but its age. */
export type RefusableState = SettingsState & { error?: "xsrf" | undefined };

/** A list in the settings of what can be ended, and `status` as on the overview. */
export type OwnListState = RefusableState & { status?: string | undefined };

/** What can be wrong with the name of a security key: `bad request` is one that is empty or too long. */
export type OwnKeyError = Extract<ErrorCode, "bad request" | "xsrf">;

export type OwnKeyState = SettingsState & { error?: OwnKeyError | undefined };

export type OwnCodesState = SettingsState & { error?: Extract<ErrorCode, "xsrf" | "overloaded"> | undefined };

/** What can be wrong with a change of the password. */
export type PasswordChangeError = Extract<
  ErrorCode,
  | "Could not parse request"
  | "No password given"
  | "Current password invalid"
  | "password-unchanged"
  | "throttled"
  | PasswordResetError
>;

export type PasswordChangeState = SettingsState & { error?: PasswordChangeError | undefined };

/** What can be wrong with a new user name. */
export type UsernameError = Extract<
  ErrorCode,
  | "Could not parse request"
  | "username is empty"
  | "username is invalid"
  | "username not available"
  | "throttled"
  | "xsrf"
>;

/** The user name is changed: `username` is the one that the person has. */
export type UsernameState = SettingsState & { error?: UsernameError | undefined; username: string };

/** The page that asks whether these settings are meant. */
export type OpeningState = { display_name: string; xsrf_token: string; error?: "xsrf" | undefined };

/** A page of the settings that reports an error; any code, as it came. */
export type SettingsErrorState = { error: string };

export type PageState =
  | SettingsState
  | OverviewState
  | TwoStepState
  | OwnTotpState
  | OwnKeyState
  | OwnCodesState
  | PasswordChangeState
  | UsernameState
  | OpeningState
  | SettingsErrorState
  | LoginState
  | AccountSelectionState
  | SecondFactorState
  | PasswordNoticeState
  | ConsentState
  | LogoutState
  | PasswordResetRequestState
  | PasswordResetState
  | FactorResetState
  | FactorResetStopState
  | StatusState
  | ServerErrorState
  | OAuthErrorState;
