import type { ReactNode } from "react";
import { ResetForm } from "#app/routes/factor-reset/reset-form.tsx";
import { ResetStatus } from "#app/routes/factor-reset/reset-status.tsx";
import { StopForm, StopStatus } from "#app/routes/factor-reset/stop.tsx";
import { LostPage, LostStatusPage } from "#app/routes/second-factor/lost.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { APP_URL } from "./samples-password-reset.tsx";
import { factorState } from "./samples-second-factor.tsx";

export const CONTACT = "help@office.example";

type Refused = { error?: "xsrf" };

/** The period in which a link works, as pages show it. */
export const WINDOW = { from: "2 March 2026 at 09:00", until: "9 March 2026 at 09:00" };

type Question = { username?: string; needsSetUp?: boolean; from?: string | null };

export function factorReset(
  state: Refused = {},
  { username = "a.berger", needsSetUp = false, from = WINDOW.from }: Question = {},
): ReactNode {
  const tokens = { xsrf_token: "the-token", reset_token: "the-reset-token" };
  const props = { username, needsSetUp, window: { ...WINDOW, from } };
  return <ResetForm state={{ ...tokens, ...state }} {...props} appUrl={APP_URL} />;
}

export function factorResetStatus(
  status: string,
  { needsSetUp = false, window = WINDOW }: { needsSetUp?: boolean; window?: typeof WINDOW | null } = {},
): ReactNode {
  return <ResetStatus state={{ status }} needsSetUp={needsSetUp} window={window} appUrl={APP_URL} />;
}

export function stopForm(state: Refused = {}): ReactNode {
  const tokens = { xsrf_token: "the-token", stop_token: "the-stop-token" };
  return <StopForm state={{ ...tokens, ...state }} username="a.berger" window={WINDOW} appUrl={APP_URL} />;
}

export function stopStatus(status: string): ReactNode {
  return <StopStatus state={{ status }} appUrl={APP_URL} />;
}

export function lost(
  state: Partial<SecondFactorState> = {},
  {
    recoveryCodesLeft = 7,
    delayHours = 24,
    name = "Anna Berger",
  }: { recoveryCodesLeft?: number; delayHours?: number; name?: string } = {},
): ReactNode {
  const props = { client: null, name, delayHours, window: WINDOW, recoveryCodesLeft, offersHelp: false };
  return <LostPage state={factorState(state)} {...props} />;
}

export function lostStatus(
  status: string,
  loginChallenge = "the-challenge",
  window: typeof WINDOW | null = WINDOW,
): ReactNode {
  const props = { loginChallenge, appUrl: APP_URL };
  return <LostStatusPage state={{ status }} window={window} {...props} />;
}

/** Every state of every page of a factor reset, by name. */
export const FACTOR_RESET_PAGES: Readonly<Record<string, ReactNode>> = {
  "factor reset, question": factorReset(),
  "factor reset, question, link of an administrator": factorReset({}, { from: null, needsSetUp: true }),
  "factor reset, form expired": factorReset({ error: "xsrf" }),
  "factor reset, done": factorResetStatus("success"),
  "factor reset, done, set-up demanded": factorResetStatus("success", { needsSetUp: true }),
  "factor reset, link not valid": factorResetStatus("error-token"),
  "factor reset, link not opened": factorResetStatus("no-link"),
  "factor reset, too early": factorResetStatus("too-early"),
  "factor reset, too early, link not known": factorResetStatus("too-early", { window: null }),
  "factor reset, failed": factorResetStatus("error"),
  "factor reset, stop": stopForm(),
  "factor reset, stop, form expired": stopForm({ error: "xsrf" }),
  "factor reset, stopped": stopStatus("success"),
  "factor reset, nothing to stop": stopStatus("error-token"),
  "factor reset, stop link not opened": stopStatus("no-link"),
  "factor reset, stopping failed": stopStatus("error"),
  "factor lost": lost(),
  "factor lost, no recovery codes": lost({}, { recoveryCodesLeft: 0 }),
  "factor lost, form expired": lost({ error: "xsrf" }),
  "factor lost, database unavailable": lost({ error: "overloaded" }, { name: "", recoveryCodesLeft: 0 }),
  "factor lost, asked": lostStatus("success"),
  "factor lost, asked, sign-in over": lostStatus("success", "", null),
  "factor lost, refused": lostStatus("refused"),
  "factor lost, too many": lostStatus("too-many"),
  "factor lost, failed": lostStatus("error"),
  "factor lost, sign-in not known": lostStatus("refused", ""),
};
