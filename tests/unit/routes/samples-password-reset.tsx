import type { ReactNode } from "react";
import { checkRules } from "#app/domain/password/rules.ts";

import { RequestForm, type RequestFormProps } from "#app/routes/password-reset/request-form.tsx";
import { RequestStatus } from "#app/routes/password-reset/request-status.tsx";
import { ResetForm, type ResetFormProps } from "#app/routes/password-reset/reset-form.tsx";
import { ResetStatus } from "#app/routes/password-reset/reset-status.tsx";
import type { PasswordResetRequestState, PasswordResetState } from "#app/ui/page-state.ts";

export const APP_URL = "https://suite.example/";

export function resetRequest(
  state: Partial<PasswordResetRequestState> = {},
  props: Partial<RequestFormProps> = {},
): ReactNode {
  return (
    <RequestForm
      state={{ xsrf_token: "the-token", ...state }}
      username=""
      challenge=""
      appUrl={APP_URL}
      offersHelp={false}
      {...props}
    />
  );
}

export function resetRequestStatus(status: string): ReactNode {
  return <RequestStatus state={{ status }} minutes={60} challenge="" appUrl={APP_URL} />;
}

export function resetForm(state: Partial<PasswordResetState> = {}, props: Partial<ResetFormProps> = {}): ReactNode {
  return (
    <ResetForm
      state={{ xsrf_token: "the-token", reset_token: "the-reset-token", ...state }}
      username="a.berger"
      challenge=""
      {...props}
    />
  );
}

export function resetStatus(status: string): ReactNode {
  return <ResetStatus state={{ status }} challenge="" appUrl={APP_URL} />;
}

/** Every state of every page of a password reset, by name. */
export const PASSWORD_RESET_PAGES: Readonly<Record<string, ReactNode>> = {
  "reset, ask": resetRequest(),
  "reset, ask without a name": resetRequest({ error: "empty-username" }),
  "reset, ask, form expired": resetRequest({ error: "xsrf" }, { username: "a.berger" }),
  "reset, ask, throttled": resetRequest({ error: "throttled" }, { username: "a.berger", waitMinutes: 4 }),
  "reset, ask, overloaded": resetRequest({ error: "overloaded" }, { username: "a.berger" }),
  "reset, asked": resetRequestStatus("success"),
  "reset, asking failed": resetRequestStatus("error"),
  "reset, form": resetForm(),
  "reset, first password": resetForm({}, { isFirst: true, challenge: "the-challenge" }),
  "reset, no password": resetForm({ error: "empty-password" }, { rules: checkRules("", "") }),
  "reset, no repetition": resetForm({ error: "empty-password-repeat" }, { rules: checkRules("Leuchtturm", "") }),
  "reset, not equal": resetForm({ error: "passwords-not-equal" }, { rules: checkRules("Leuchtturm", "Kai") }),
  "reset, too weak": resetForm(
    { error: "password-strength" },
    { rules: checkRules("LeuchtturmAmKai", "LeuchtturmAmKai") },
  ),
  "reset, too long": resetForm(
    { error: "password-strength" },
    { rules: checkRules("Aa1".repeat(100), "Aa1".repeat(100)) },
  ),
  "reset, common": resetForm({ error: "password-common" }),
  "reset, a name in it": resetForm({ error: "password-common" }, { containsName: true }),
  "reset, form expired": resetForm({ error: "xsrf" }),
  "reset, overloaded": resetForm({ error: "overloaded" }),
  "reset, done": resetStatus("success"),
  "reset, link not opened": resetStatus("no-link"),
  "reset, link not valid": resetStatus("error-token"),
  "reset, failed": resetStatus("error"),
};
