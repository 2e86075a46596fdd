import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { registerCallbackTitle } from "#app/routes/login/register/callback.tsx";
import { render } from "./render.tsx";
import { APP_URL, login } from "./samples.tsx";
import { HINTS, registerCallback } from "./samples-register.tsx";

const { t } = getInstance("en", "Gatehouse");

describe("the registration form", () => {
  const page = render(login({ reg_hints: HINTS }));

  test("posts challenge, token and one field per hint to /register", () => {
    expect(page.form("/register").fields).toEqual([
      ["_xsrf", "the-token"],
      ["login_challenge", "the-challenge"],
      ["hints[email]", "eva@office.example"],
      ["hints[name]", "Eva Brandt"],
    ]);
    expect(page.form("/register").buttons.map(({ label }) => label)).toEqual(["Create account"]);
  });

  test("shows the hints and the name of the application that sent them", () => {
    expect(page.one("dl").text).toBe("E-mail address eva@office.example Name Eva Brandt");
    expect(page.text).toContain("with the details that Broker Desk sent");
  });

  test("is a separate form after the sign-in form", () => {
    const actions = page.forms().map(({ action }) => action);
    expect(actions).toEqual(["/login/native", "/register"]);
  });

  test("escapes markup in a hint", () => {
    const value = `<img src=x onerror="alert(1)">`;
    const marked = render(login({ reg_hints: [{ key: "name", value }] }));
    expect(marked.all("img")).toEqual([]);
    expect(marked.form("/register").fields).toContainEqual(["hints[name]", value]);
  });

  test('is not shown without hints, on "You are logged in as", or for an invalid challenge', () => {
    const nextStep = { kind: "app", url: APP_URL } as const;
    for (const screen of [
      login(),
      login({ reg_hints: HINTS, login_hint: { id: "42", name: "Anna" } }),
      login({ reg_hints: HINTS, error: "challenge" }, { nextStep }),
    ]) {
      const actions = render(screen)
        .forms()
        .map(({ action }) => action);
      expect(actions).not.toContain("/register");
    }
  });
});

describe("a registration that cannot continue the sign-in", () => {
  test("reports an expired link", () => {
    const page = render(registerCallback("error-token"));
    expect(page.one("div", { "data-code": "error-token", role: "alert" }).text).toBe(
      "This link has expired! Your account has already been created. Please sign in from the application.",
    );
  });

  test.each(["error", "", "nonsense"])("is a technical error for any other status: %j", (status) => {
    const page = render(registerCallback(status));
    expect(page.one("div", { "data-code": "error", role: "alert" }).text).toMatch(
      /^Technical error The registration could not be completed here\. Please try again later/,
    );
  });

  test("links to the application", () => {
    const page = render(registerCallback("error"));
    expect(page.one("a", { href: APP_URL }).text).toBe("Back to the application");
    expect(registerCallbackTitle(t)).toBe("Error: Registration | Gatehouse");
  });
});
