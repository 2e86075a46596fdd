import type { ReactNode } from "react";
import { describe, expect, test } from "vitest";
import { render } from "./render.tsx";
import { APP_URL, consent, login, logout, serverError } from "./samples.tsx";
import { factorResetStatus } from "./samples-factor-reset.tsx";
import { resetForm, resetRequest, resetRequestStatus, resetStatus } from "./samples-password-reset.tsx";
import { registerCallback } from "./samples-register.tsx";

/** The English sentences that the specification quotes, by section, each with a page of the login area that must show it. */
const QUOTES: readonly (readonly [section: string, quote: string, page: ReactNode])[] = [
  ["2", "You are logged in as", login({ login_hint: { id: "42", name: "Anna Berger" } })],
  ["2", "an error occurred", serverError(418)],
  ["2", "Internal Server Error", serverError(500)],
  ["5", "No new password given", resetForm({ error: "empty-password" })],
  ["5", "No repeat new password given", resetForm({ error: "empty-password-repeat" })],
  ["5", "Password and repetition not equal", resetForm({ error: "passwords-not-equal" })],
  ["5", "Password not strong enough", resetForm({ error: "password-strength" })],
  ["5", "Please provide a username", resetRequest({ error: "empty-username" })],
  [
    "8",
    "Login-Challenge is empty or invalid!",
    login({ error: "challenge" }, { nextStep: { kind: "app", url: APP_URL } }),
  ],
  ["8", "Login failed!", login({ error: "credentials" })],
  ["8", "Logout-Challenge is empty or invalid!", logout({ logout_challenge: "", error: "challenge" })],
  ["8", "Logout failed!", logout({ status: "failed" })],
  ["8", "Logout aborted!", logout({ status: "rejected" })],
  ["8", "Consent failed!", consent({ error: "bad request" })],
  // The specification has a grammatical error here, which the product corrects: "a invalid scopes".
  ["8", "The application requested invalid scopes!", consent({ error: "invalid-scope-requested" })],
  ["8", "Your token isn't valid (anymore)!", resetStatus("error-token")],
  ["8", "password changed", resetStatus("success")],
  ["8", "technical error", resetStatus("error")],
  ["8", "sorry, technical error", resetRequestStatus("error")],
  ["8", "token expired!", factorResetStatus("error-token")],
  ["8", "your additional factors reset!", factorResetStatus("success")],
  ["8", "technical error", factorResetStatus("error")],
  ["8", "link has expired!", registerCallback("error-token")],
  ["8", "technical error", registerCallback("error")],
];

describe("each quote of the specification is shown on its page", () => {
  test.each(QUOTES)("section %s: %s", (_section, quote, page) => {
    // The comparison ignores case, because a quote may start a sentence.
    expect(render(page).one("main").text.toLowerCase()).toContain(quote.toLowerCase());
  });

  test("section 8: an external sign-in without an account names the provider", () => {
    const text = render(login({ error: "credentials" }, { provider: "google" })).one("main").text;
    expect(text).toContain("Could not find any connected account. Please connect your account with a Google account");
  });
});
