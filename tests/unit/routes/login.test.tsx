import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { loginTitle } from "#app/routes/login/login-page.tsx";
import { fieldNames, render } from "./render.tsx";
import { APP_URL, login, loginState } from "./samples.tsx";

const { t } = getInstance("en", "Gatehouse");

describe("the sign-in form", () => {
  const page = render(login({}, { username: "a.berger" }));

  test("posts user name, password, token and challenge to /login/native", () => {
    expect(page.form("/login/native").fields).toEqual([
      ["_xsrf", "the-token"],
      ["login_challenge", "the-challenge"],
      ["username", "a.berger"],
      ["password", ""],
    ]);
  });

  test("works with password managers: fixed ids, types and autocomplete values", () => {
    expect(page.one("input", { id: "username" }).attributes).toMatchObject({
      autocomplete: "username",
      autocapitalize: "none",
      autocorrect: "off",
      spellcheck: "false",
      enterkeyhint: "next",
    });
    const password = page.one("input", { id: "current-password" }).attributes;
    expect(password).toMatchObject({ type: "password", autocomplete: "current-password", enterkeyhint: "go" });
    expect(password).not.toHaveProperty("maxlength");
    expect(password).not.toHaveProperty("value");
  });

  test("leaves the validation to the server, so that the errors are the same without a script", () => {
    expect(page.one("form").attributes).toHaveProperty("novalidate");
  });

  test("is posted to the password reset form by its second button, with the entered user name in no URL", () => {
    const challenge = page.form("/login/native").fields.find(([name]) => name === "login_challenge")?.[1] ?? "";
    const formaction = `/password-reset/request-form?${new URLSearchParams({ login_challenge: challenge })}`;
    expect(page.form("/login/native").buttons.map(({ label }) => label)).toEqual(["Sign in", "Forgot your password?"]);
    expect(page.one("button", { formaction }).text).toBe("Forgot your password?");
    for (const { attributes } of page.all("a")) expect(attributes.href).not.toContain("a.berger");
  });
});

test("the header names only a client with a URI, and the product on every page", () => {
  const withAddress = render(login());
  expect(withAddress.one("header").text).toBe("Gatehouse Broker Desk desk.example");
  const without = render(login({}, { client: { name: "Broker Desk", host: null, uri: null } }));
  expect(without.one("header").text).toBe("Gatehouse");
  expect(without.one("main").text).toContain("to continue to Broker Desk");
});

test("providers are linked with the challenge, and only the configured ones", () => {
  const page = render(login({}, { providers: ["google", "apple"] }));
  const providers = page.all("a").filter(({ attributes }) => attributes.class?.includes("provider"));
  expect(providers.map(({ attributes, text }) => [attributes.href, text])).toEqual([
    ["/login/google?login_challenge=the-challenge", "Sign in with Google"],
    ["/login/apple?login_challenge=the-challenge", "Sign in with Apple"],
  ]);
  expect(render(login()).text).not.toContain("another account");
});

describe("refused credentials", () => {
  const page = render(login({ error: "credentials" }, { username: "a.berger" }));
  const summary = page.one("div", { "data-code": "credentials" });

  test("are reported in the summary; the field says what to do", () => {
    expect(summary.text).toBe("There is a problem Login failed!");
    expect(page.one("a", { href: "#current-password" }).text).toBe("Login failed!");
    expect(page.one("p", { id: "current-password-error" }).text).toBe("Error: Please check your username and password");
    expect(page.html.indexOf('data-code="credentials"')).toBeLessThan(page.html.indexOf("<h1"));
  });

  test("move the focus to the empty password field, without a script; the summary stays an alert", () => {
    expect(page.one("input", { id: "current-password" }).attributes).toHaveProperty("autofocus");
    expect(summary.attributes.role).toBe("alert");
    expect(summary.attributes).not.toHaveProperty("autofocus");
  });

  test("keep the user name and never a password", () => {
    expect(page.one("input", { id: "username" }).attributes.value).toBe("a.berger");
    expect(page.one("input", { id: "current-password" }).attributes).toMatchObject({
      "aria-invalid": "true",
      "aria-describedby": "current-password-error current-password-caps",
    });
    expect(page.one("input", { id: "current-password" }).attributes).not.toHaveProperty("value");
  });
});

test("each empty field has its own error", () => {
  const page = render(login({ error: "username is empty" }, { errors: ["username is empty", "empty-password"] }));
  expect(page.one("a", { href: "#username" }).text).toBe("Please enter your username");
  expect(page.one("a", { href: "#current-password" }).text).toBe("Please enter your password");
  expect(page.one("input", { id: "username" }).attributes["aria-invalid"]).toBe("true");
});

test("a throttled sign-in shows the waiting time", () => {
  const page = render(login({ error: "throttled" }, { waitMinutes: 4 }));
  expect(page.one("div", { "data-code": "throttled" }).text).toContain("Please wait 4 minutes");
  expect(page.form("/login/native").buttons[0]?.disabled).toBe(false);
});

test("an expired form keeps the user name", () => {
  const page = render(login({ error: "xsrf" }, { username: "a.berger" }));
  expect(page.one("div", { "data-code": "xsrf" }).text).toContain("This page was open for too long.");
  expect(page.form("/login/native").fields).toContainEqual(["username", "a.berger"]);
});

describe("an invalid challenge", () => {
  const closed = render(login({ error: "challenge" }, { client: null, nextStep: { kind: "app", url: APP_URL } }));

  test("disables inputs and button, with the text of the specification", () => {
    expect(closed.one("div", { "data-code": "challenge", role: "alert" }).text).toMatch(
      /^Login-Challenge is empty or invalid!/,
    );
    for (const id of ["username", "current-password"]) {
      expect(closed.one("input", { id }).attributes).toHaveProperty("disabled");
    }
    expect(closed.form("/login/native").buttons.every(({ disabled }) => disabled)).toBe(true);
    expect(closed.all("button", { type: "button" })).toEqual([]);
  });

  test("leads back to the application", () => {
    expect(closed.one("a", { href: APP_URL }).text).toBe("Back to the application");
  });

  test("can be started again with one button that keeps the user name", () => {
    const nextStep = { kind: "restart", reason: "expired", challenge: "old", username: "a.berger" } as const;
    const page = render(login({ error: "challenge" }, { nextStep }));
    expect(page.form("/login").fields).toEqual([
      ["_xsrf", "the-token"],
      ["login_challenge", "old"],
      ["username", "a.berger"],
    ]);
    expect(page.form("/login").buttons.map(({ label }) => label)).toEqual(["Start again"]);
  });
});

describe("you are logged in as", () => {
  const page = render(login({ login_hint: { id: "42", name: "Anna Berger" } }, { username: "a.berger" }));

  test("names the account", () => {
    expect(page.one("h1").text).toBe("You are logged in as");
    expect(page.one("p", { class: "account" }).text).toContain("Anna Berger");
    expect(page.one("p", { class: "account" }).text).toContain("a.berger");
  });

  test("posts proceed as a field, and links to the form for another account", () => {
    expect(fieldNames(page, "/login/proceed")).toEqual(["_xsrf", "login_challenge", "user", "proceed"]);
    expect(page.form("/login/proceed").fields).toContainEqual(["user", "42"]);
    expect(page.form("/login/proceed").fields).toContainEqual(["proceed", "1"]);
    const [other] = page.all("a").filter(({ text }) => text === "Use a different account");
    expect(other?.attributes.href).toMatch(/^\/login\/native\?login_challenge=.*&proceed=0$/);
  });
});

test("a completed sign-in links to the application and shows no form", () => {
  const page = render(login({ login_result: { status: "success", code: null, to_app_url: APP_URL } }));
  expect(page.one("a", { href: APP_URL }).text).toBe("Continue to Broker Desk");
  expect(page.forms()).toEqual([]);
});

test("a failed sign-in shows its error code", () => {
  const page = render(login({ login_result: { status: "failed", code: "credentials", to_app_url: APP_URL } }));
  expect(page.one("div", { "data-code": "credentials" }).attributes.role).toBe("alert");
});

test("markup in a name is escaped", () => {
  const name = `<img src=x onerror="alert(1)">`;
  const client = { name, host: name, uri: "https://desk.example/" };
  const page = render(login({ login_hint: { id: name, name } }, { client, username: name }));
  expect(page.all("img")).toEqual([]);
  expect(page.text).toContain(name);
});

test("titles contain page and product, errors first", () => {
  expect(loginTitle(t, loginState())).toBe("Sign in | Gatehouse");
  expect(loginTitle(t, loginState({ error: "credentials" }))).toBe("Error: Sign in | Gatehouse");
  expect(loginTitle(t, loginState({ login_hint: { id: "1", name: "Anna" } }))).toBe("Continue as Anna | Gatehouse");
});
