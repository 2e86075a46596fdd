import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { logoutTitle } from "#app/routes/logout/logout-page.tsx";
import { render } from "./render.tsx";
import { APP_URL, logout, logoutState } from "./samples.tsx";

const FIELDS = [
  ["_xsrf", "the-token"],
  ["logout_challenge", "the-challenge"],
];

describe("a pending logout", () => {
  const page = render(logout());

  test('names the account and has a form for each answer, "sign out" first', () => {
    expect(page.text).toContain("Signed in as Anna Berger");
    expect(page.forms().map(({ action }) => action)).toEqual(["/logout/accept", "/logout/reject"]);
    expect(page.form("/logout/accept").fields).toEqual(FIELDS);
    expect(page.form("/logout/reject").fields).toEqual(FIELDS);
  });

  test("is shown again with an error when the form has expired", () => {
    const again = render(logout({ error: "xsrf" }));
    expect(again.one("div", { "data-code": "xsrf" }).text).toContain("This page was open for too long.");
    expect(again.form("/logout/accept").fields).toEqual(FIELDS);
  });
});

test("without a challenge the page has no form", () => {
  for (const state of [{ logout_challenge: "" }, { error: "challenge" }] as const) {
    const page = render(logout(state));
    expect(page.one("div", { "data-code": "challenge" }).text).toMatch(/^Logout-Challenge is empty or invalid!/);
    expect(page.forms()).toEqual([]);
    expect(page.all("a", { href: APP_URL })).toHaveLength(1);
  }
});

test.each([
  { status: "failed", says: "Logout failed!" },
  { status: "accepted", says: "You are signed out" },
  { status: "rejected", says: "Logout aborted!" },
] as const)("$status shows: $says", ({ status, says }) => {
  const page = render(logout({ status }));
  expect(page.one("main").text).toContain(says);
  expect(page.forms()).toEqual([]);
  expect(page.all("a", { href: APP_URL })).toHaveLength(1);
});

test("each state has its title", () => {
  const { t } = getInstance("en", "Gatehouse");
  expect(logoutTitle(t, logoutState())).toBe("Sign out | Gatehouse");
  expect(logoutTitle(t, logoutState({ logout_challenge: "" }))).toBe("Error: Sign-out not possible | Gatehouse");
  expect(logoutTitle(t, logoutState({ status: "failed" }))).toBe("Error: Sign-out failed | Gatehouse");
  expect(logoutTitle(t, logoutState({ status: "accepted" }))).toBe("Signed out | Gatehouse");
});
