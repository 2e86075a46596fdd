import { describe, expect, test } from "vitest";
import { checkRules } from "#app/domain/password/rules.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { requestFormTitle } from "#app/routes/password-reset/request-form.tsx";
import { requestStatusTitle } from "#app/routes/password-reset/request-status.tsx";
import { resetFormTitle } from "#app/routes/password-reset/reset-form.tsx";
import { resetStatusTitle } from "#app/routes/password-reset/reset-status.tsx";
import { render } from "./render.tsx";
import { APP_URL, resetForm, resetRequest, resetRequestStatus, resetStatus } from "./samples-password-reset.tsx";

const { t } = getInstance("en", "Gatehouse");

/** The visible text of the checklist. */
const checklist = (page: ReturnType<typeof render>) =>
  page.all("li", { class: "rule" }).map(({ text, attributes }) => [text, attributes["data-met"] !== undefined]);

describe("the form that requests a link", () => {
  test("posts the token and the user name, filled in with the name that was entered before", () => {
    const page = render(resetRequest({}, { username: "a.berger" }));
    expect(page.form("/password-reset/request").fields).toEqual([
      ["_xsrf", "the-token"],
      ["username", "a.berger"],
    ]);
    expect(page.form("/password-reset/request").buttons.map(({ label }) => label)).toEqual(["Send link"]);
    expect(page.one("a", { href: APP_URL }).text).toBe("Back to sign-in");
  });

  test("needs a user name", () => {
    const page = render(resetRequest({ error: "empty-username" }));
    expect(page.one("div", { "data-code": "empty-username" }).text).toContain("Please provide a username");
    expect(page.one("p", { id: "username-error" }).text).toBe("Error: Please provide a username");
    expect(page.one("input", { id: "username" }).attributes["aria-invalid"]).toBe("true");
  });

  test("keeps the user name when it is expired, throttled or overloaded", () => {
    for (const error of ["xsrf", "throttled", "overloaded"] as const) {
      const page = render(resetRequest({ error }, { username: "a.berger", waitMinutes: 4 }));
      expect(page.one("div", { "data-code": error }).attributes.role).toBe("alert");
      expect(page.one("input", { id: "username" }).attributes.value).toBe("a.berger");
    }
  });
});

describe("the result of a request", () => {
  test("announces a mail, the lifetime of the link, and the reasons for a missing mail", () => {
    const page = render(resetRequestStatus("success"));
    expect(page.one("main").text).toContain("If the account exists, an e-mail with a link is on its way.");
    expect(page.one("main").text).toContain("within 60 minutes");
    expect(page.all("li").map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        "The username was mistyped.",
        "The account is blocked.",
        "The e-mail address is blocked.",
        "The e-mail is in your spam folder.",
      ]),
    );
    expect(page.one("a", { href: "/password-reset/request-form" }).text).toBe("Request another link");
  });

  test("is a technical error for any other status", () => {
    for (const status of ["error", "", "<b>"]) {
      const page = render(resetRequestStatus(status));
      expect(page.one("div", { "data-code": "error" }).text).toMatch(/^Sorry, technical error/);
    }
  });
});

describe("the form for a new password", () => {
  const page = render(resetForm());

  test("posts both tokens and the two passwords, and nothing else", () => {
    expect(page.form("/password-reset/reset").fields).toEqual([
      ["_xsrf", "the-token"],
      ["reset_token", "the-reset-token"],
      ["password", ""],
      ["password_repeat", ""],
    ]);
    expect(page.form("/password-reset/reset").buttons).toEqual([
      { name: null, value: "", label: "Change password", disabled: false },
    ]);
  });

  test("works with password managers", () => {
    for (const id of ["new-password", "new-password-repeat"]) {
      const { attributes } = page.one("input", { id });
      expect(attributes).toMatchObject({
        type: "password",
        autocomplete: "new-password",
        passwordrules: "minlength: 12; required: lower; required: upper; required: digit;",
        autocapitalize: "none",
        spellcheck: "false",
      });
      for (const never of ["maxlength", "value", "onpaste"]) expect(attributes).not.toHaveProperty(never);
    }
    expect(page.one("input", { id: "username" }).attributes).toMatchObject({
      autocomplete: "username",
      value: "a.berger",
      readonly: "",
    });
  });

  test("names each show button after its field", () => {
    const labels = page.all("show-password").map(({ attributes }) => attributes["show-label"]);
    expect(labels).toEqual(["Show new password", "Show repeated password"]);
  });

  test("lists the rules of an empty form, each with its result as text", () => {
    expect(checklist(page)).toEqual([
      ["at least 12 characters (not met yet)", false],
      ["at least one lower-case letter (a–z) (not met yet)", false],
      ["at least one upper-case letter (A–Z) (not met yet)", false],
      ["at least one digit (0–9) (not met yet)", false],
      ["the same password in both fields (not met yet)", false],
    ]);
    expect(page.one("input", { id: "new-password" }).attributes["aria-describedby"]).toContain("rules");
  });

  test("has the correct German hints for lower and upper case", () => {
    const german = checklist(render(resetForm(), "de")).map(([text]) => text);
    expect(german[1]).toBe("mindestens einen Kleinbuchstaben (a–z) (noch nicht erfüllt)");
    expect(german[2]).toBe("mindestens einen Großbuchstaben (A–Z) (noch nicht erfüllt)");
  });

  test("shows four tips", () => {
    const tips = page.one("section", { class: "tips" }).text;
    expect(tips).toContain("Four tips for a good password");
    expect(tips).toContain("Several unrelated words");
    expect(tips).toContain("Let a password manager create and remember it.");
  });

  test("escapes markup in a user name", () => {
    const name = `<img src=x onerror="alert(1)">`;
    const strange = render(resetForm({}, { username: name }));
    expect(strange.all("img")).toEqual([]);
    expect(strange.text).toContain(name);
  });
});

describe("a refused password", () => {
  test.each([
    ["empty-password", "No new password given", "new-password"],
    ["empty-password-repeat", "No repeat new password given", "new-password-repeat"],
    ["passwords-not-equal", "Password and repetition not equal", "new-password-repeat"],
    ["password-strength", "Password not strong enough", "new-password"],
  ] as const)("%s: says '%s', and what to do at the field", (error, quote, field) => {
    const page = render(resetForm({ error }, { rules: checkRules("Leuchtturm", "Kai") }));
    const summary = page.one("div", { "data-code": error });
    expect(summary.attributes.role).toBe("alert");
    expect(summary.text).toContain(quote);
    expect(page.one("a", { href: `#${field}` }).text).toBe(quote);
    expect(page.one("p", { id: `${field}-error` }).text).toMatch(/^Error: Please /);
    expect(page.one("input", { id: field }).attributes["aria-invalid"]).toBe("true");
  });

  test("shows no results beside the empty fields if all rules were met", () => {
    const rules = checkRules("LeuchtturmAmKai7", "LeuchtturmAmKai7");
    const page = render(resetForm({ error: "password-common" }, { rules }));
    expect(page.one("section", { id: "rules" }).text).not.toContain("rules met");
  });

  test("shows the failed rules without a script", () => {
    const rules = checkRules("LeuchtturmAmKai", "Leuchtturm");
    const page = render(resetForm({ error: "passwords-not-equal" }, { rules }));
    expect(checklist(page).map(([, met]) => met)).toEqual([true, true, true, false, false]);
    expect(page.one("section", { id: "rules" }).text).toContain("3 of 5 rules met");
  });

  test("that is too long has its own text in place of the minimum length", () => {
    const page = render(resetForm({ error: "password-strength" }, { rules: checkRules("Aa1".repeat(100), "") }));
    expect(checklist(page)[0]).toEqual(["at most 256 characters (not met yet)", false]);
    expect(checklist(page)).toHaveLength(5);
  });

  test("that is common gets another text than one that contains a name", () => {
    const common = render(resetForm({ error: "password-common" }));
    expect(common.one("div", { "data-code": "password-common" }).text).toContain("on a list of known passwords");
    const name = render(resetForm({ error: "password-common" }, { containsName: true }));
    expect(name.one("div", { "data-code": "password-common" }).text).toContain("contains a name that others know");
  });

  test("is never sent back", () => {
    const { html } = render(resetForm({ error: "password-strength" }, { rules: checkRules("Leuchtturm", "Kai") }));
    expect(html).not.toContain("Leuchtturm");
  });
});

describe("the result of the change", () => {
  test("an invalid link links to the request form", () => {
    const page = render(resetStatus("error-token"));
    expect(page.one("div", { "data-code": "error-token" }).text).toMatch(/^Your token isn't valid \(anymore\)!/);
    expect(page.one("a", { href: "/password-reset/request-form" }).text).toBe("Request a new link");
  });

  test("success links to the application and has no form", () => {
    const page = render(resetStatus("success"));
    expect(page.one("h1").text).toBe("Password changed");
    expect(page.one("a", { href: APP_URL }).text).toBe("Go to the application");
    expect(page.forms()).toEqual([]);
  });

  test("any other status is a technical error", () => {
    for (const status of ["error", "", "nonsense"]) {
      const page = render(resetStatus(status));
      expect(page.one("h1").text).toBe("Technical error");
      expect(page.one("div", { "data-code": "error" }).text).toContain("Your password has not been changed.");
    }
  });
});

test("titles contain page and product, errors first", () => {
  const xsrf_token = "the-token";
  expect(requestFormTitle(t, { xsrf_token })).toBe("Reset password | Gatehouse");
  expect(requestFormTitle(t, { xsrf_token, error: "xsrf" })).toBe("Error: Reset password | Gatehouse");
  expect(requestStatusTitle(t, { status: "success" })).toBe("Check your inbox | Gatehouse");
  expect(requestStatusTitle(t, { status: "" })).toBe("Technical error | Gatehouse");
  const form = { xsrf_token, reset_token: "r" };
  expect(resetFormTitle(t, form)).toBe("Choose a new password | Gatehouse");
  expect(resetFormTitle(t, { ...form, error: "password-strength" })).toBe("Error: Choose a new password | Gatehouse");
  expect(resetStatusTitle(t, { status: "success" })).toBe("Password changed | Gatehouse");
  expect(resetStatusTitle(t, { status: "error-token" })).toBe("Error: Link not valid | Gatehouse");
  expect(resetStatusTitle(t, { status: "x" })).toBe("Technical error | Gatehouse");
});
