import { expect, test } from "vitest";
import { languageHref } from "#app/ui/language-link.tsx";

test("the language link keeps the query and sets the language once", () => {
  const here = { pathname: "/login", search: "?login_challenge=a%2Bb&lng=en", state: {} };
  expect(languageHref(here, "de")).toBe("/login?login_challenge=a%2Bb&lng=de");
});

test("on the response to a form, the challenge comes from the page's state", () => {
  const state = { login_challenge: "abc", xsrf_token: "secret", reg_hints: [] };
  expect(languageHref({ pathname: "/login/native", search: "", state }, "de")).toBe(
    "/login/native?login_challenge=abc&lng=de",
  );
});

test("an empty challenge is left out, and no other part of the state is shown", () => {
  const state = { status: "pending", logout_challenge: "", xsrf_token: "secret" };
  expect(languageHref({ pathname: "/logout", search: "", state }, "en")).toBe("/logout?lng=en");
});

test("the second-factor step spells its challenge otherwise, and keeps it too", () => {
  const state = { loginChallenge: "abc", xsrfToken: "secret", token: "secret" };
  expect(languageHref({ pathname: "/mfa/verify", search: "", state }, "de")).toBe(
    "/mfa/verify?login_challenge=abc&lng=de",
  );
});

test("a form's user name is in no URL, and the page of the form is loaded", () => {
  const here = { pathname: "/login", search: "?username=anna&login_challenge=abc", state: {} };
  const form = { id: "sign-in", path: "/login/native" };
  expect(languageHref({ ...here, form }, "de")).toBe("/login/native?login_challenge=abc&lng=de");
});
