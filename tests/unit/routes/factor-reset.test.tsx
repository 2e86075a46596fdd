import type { ReactNode } from "react";
import { describe, expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { resetFormTitle, stopFormTitle, stopStatusTitle } from "#app/routes/factor-reset/factor-reset.server.ts";
import { resetStatusTitle } from "#app/routes/factor-reset/reset-status.tsx";
import { lostStatusTitle, lostTitle } from "#app/routes/second-factor/lost.server.ts";
import { render } from "./render.tsx";
import {
  CONTACT,
  factorReset,
  factorResetStatus,
  lost,
  lostStatus,
  stopForm,
  stopStatus,
  WINDOW,
} from "./samples-factor-reset.tsx";
import { APP_URL } from "./samples-password-reset.tsx";
import { factorState, secondFactor } from "./samples-second-factor.tsx";

const { t } = getInstance("en", "Gatehouse");

const VERIFY = "/mfa/verify?login_challenge=the-challenge";
const LOST = "/mfa/lost?login_challenge=the-challenge";

describe("the form that removes all factors", () => {
  const page = render(factorReset());

  test("posts both tokens with one danger button, and warns that the removal is final", () => {
    const form = page.form("/mfa-reset/reset");
    expect(form.fields).toEqual([
      ["_xsrf", "the-token"],
      ["reset_token", "the-reset-token"],
    ]);
    expect(form.buttons.map(({ label }) => label)).toEqual(["Reset all factors"]);
    expect(page.one("button", { type: "submit" }).attributes.class).toBe("button danger");
    expect(page.one("main").text).toContain("This cannot be undone.");
  });

  test("names the account, and can be declined", () => {
    expect(page.one("main").text).toContain("For the account a.berger");
    expect(page.one("a", { href: APP_URL }).text).toBe("Keep my factors");
  });

  test("is shown again with an error when it has expired", () => {
    const expired = render(factorReset({ error: "xsrf" }));
    expect(expired.one("div", { "data-code": "xsrf" }).attributes.role).toBe("alert");
    expect(expired.form("/mfa-reset/reset").fields).toContainEqual(["reset_token", "the-reset-token"]);
  });

  test("escapes markup in a user name", () => {
    const name = `<img src=x onerror="alert(1)">`;
    const strange = render(factorReset({}, { username: name }));
    expect(strange.all("img")).toEqual([]);
    expect(strange.text).toContain(name);
  });
});

describe("the result of a reset", () => {
  test("success: shows the text of the specification and the next step", () => {
    const page = render(factorResetStatus("success"));
    expect(page.one("h1").text).toBe("Your additional factors reset!");
    expect(page.one("main").text).toContain("Sign in, and set up a new second factor in your login settings.");
    expect(page.one("a", { href: APP_URL }).text).toBe("Go to the application");
    expect(page.forms()).toEqual([]);
  });

  test("announces a set-up at the next sign-in only if one is required", () => {
    const text = (page: ReactNode) => render(page).one("main").text;
    expect(text(factorReset({}, { needsSetUp: true }))).toContain("set up a new second factor at your next sign-in");
    expect(text(factorReset())).not.toContain("next sign-in");
    expect(text(factorResetStatus("success", { needsSetUp: true }))).toContain(
      "Sign in to set up a new second factor.",
    );
    expect(text(factorResetStatus("success"))).not.toContain("Sign in to set up");
  });

  test("an invalid link: nothing was changed", () => {
    const page = render(factorResetStatus("error-token"));
    expect(page.one("div", { "data-code": "error-token" }).text).toMatch(/^Token expired! ?Nothing has been changed\./);
  });

  test("a link that does not work yet is not called expired", () => {
    const page = render(factorResetStatus("too-early"));
    expect(page.one("h1").text).toBe("This link does not work yet");
    expect(page.one("main").text).not.toContain("expired");
    expect(page.one("main").text).toContain(`Valid from ${WINDOW.from} Valid until ${WINDOW.until}`);
    const unknown = render(factorResetStatus("too-early", { window: null }));
    expect(unknown.one("main").text).toContain("The e-mail says when it works.");
  });

  test("any other status is a technical error", () => {
    for (const status of ["error", "", "nonsense"]) {
      const page = render(factorResetStatus(status));
      expect(page.one("h1").text).toBe("Technical error");
      expect(page.one("div", { "data-code": "error" }).text).toContain("Your factors have not been changed.");
    }
  });
});

describe("stopping a reset", () => {
  test("needs a form: opening the link has no effect", () => {
    const page = render(stopForm());
    expect(page.form("/mfa-reset/stop").fields).toEqual([
      ["_xsrf", "the-token"],
      ["stop_token", "the-stop-token"],
    ]);
    expect(page.form("/mfa-reset/stop").buttons.map(({ label }) => label)).toEqual(["Stop the reset"]);
  });

  test("shows the period in which the reset link works", () => {
    expect(render(stopForm()).one("main").text).toContain(`Valid from ${WINDOW.from} Valid until ${WINDOW.until}`);
  });

  test("links to the password reset, because another user knows the password", () => {
    const page = render(stopStatus("success"));
    expect(page.one("a", { href: "/password-reset/request-form" }).text).toBe("Choose a new password");
  });

  test("reports that no reset is pending, with the support contact", () => {
    const page = render(stopStatus("error-token"));
    expect(page.one("div", { "data-code": "error-token" }).attributes.role).toBe("alert");
    expect(page.one("a", { href: `mailto:${CONTACT}` }).text).toBe(CONTACT);
    expect(render(stopStatus("<b>")).one("h1").text).toBe("Technical error");
  });
});

describe("a lost factor", () => {
  test("has a link on each page that asks for a factor", () => {
    for (const method of ["totp", "fido2", "choose", "recovery"] as const) {
      expect(render(secondFactor(method)).all("a", { href: LOST })).toHaveLength(1);
    }
    for (const method of ["set-up", "continue"] as const) {
      expect(render(secondFactor(method)).all("a", { href: LOST })).toEqual([]);
    }
  });

  test("posts the tokens of the sign-in, and shows the delay of the link", () => {
    const page = render(lost());
    expect(page.form("/mfa/lost").fields).toEqual([
      ["_xsrf", "the-token"],
      ["login_challenge", "the-challenge"],
      ["mfa_token", "the-mfa-token"],
    ]);
    expect(page.one("main").text).toContain("works only after 24 hours");
    expect(render(lost({}, { delayHours: 1 })).one("main").text).toContain("works only after 1 hour,");
    expect(page.one("main").text).toContain(`Valid from ${WINDOW.from} Valid until ${WINDOW.until}`);
  });

  test("offers a recovery code first, if one is left", () => {
    expect(render(lost()).one("a", { href: `${VERIFY}&method=recovery` }).text).toBe("Use a recovery code");
    expect(render(lost({}, { recoveryCodesLeft: 0 })).all("a", { href: `${VERIFY}&method=recovery` })).toEqual([]);
    expect(render(lost()).one("a", { href: VERIFY }).text).toBe("Back to sign-in");
  });

  test("success: shows when the link works, and that nothing has changed", () => {
    const text = render(lostStatus("success")).one("main").text;
    expect(text).toContain(`Valid from ${WINDOW.from} Valid until ${WINDOW.until}`);
    expect(text).toContain("Nothing has been changed yet.");
    const later = render(lostStatus("success", "", null)).one("main").text;
    expect(later).toContain("It says when its link works.");
  });

  test.each(["refused", "too-many"])("%s: offers a recovery code and shows the support contact", (status) => {
    const page = render(lostStatus(status));
    expect(page.one("div", { "data-code": status }).attributes.role).toBe("alert");
    expect(page.one("a", { href: `${VERIFY}&method=recovery` }).text).toBe("Use a recovery code");
    expect(page.one("a", { href: `mailto:${CONTACT}` }).text).toBe(CONTACT);
    expect(page.forms()).toEqual([]);
  });

  test("any other status is a technical error; without a sign-in the page links to the application", () => {
    expect(render(lostStatus("<b>")).one("h1").text).toBe("Technical error");
    expect(render(lostStatus("refused", "")).one("a", { href: APP_URL }).text).toBe("Go to the application");
  });
});

test("titles contain page and product, errors first", () => {
  const form = { xsrf_token: "the-token", reset_token: "r" };
  expect(resetFormTitle(t, form)).toBe("Reset second factors | Gatehouse");
  expect(resetFormTitle(t, { ...form, error: "xsrf" })).toBe("Error: Reset second factors | Gatehouse");
  expect(resetStatusTitle(t, { status: "success" })).toBe("Factors reset | Gatehouse");
  expect(resetStatusTitle(t, { status: "error-token" })).toBe("Error: Link expired | Gatehouse");
  expect(resetStatusTitle(t, { status: "too-early" })).toBe("Error: Link not valid yet | Gatehouse");
  expect(resetStatusTitle(t, { status: "x" })).toBe("Technical error | Gatehouse");
  expect(stopFormTitle(t, { xsrf_token: "x", stop_token: "s" })).toBe("Stop the reset | Gatehouse");
  expect(stopStatusTitle(t, { status: "success" })).toBe("The reset has been stopped | Gatehouse");
  expect(stopStatusTitle(t, { status: "error-token" })).toBe("Error: No reset to stop | Gatehouse");
  expect(lostTitle(t, factorState())).toBe("Reset link by e-mail | Gatehouse");
  expect(lostStatusTitle(t, { status: "success" })).toBe("Check your inbox | Gatehouse");
  expect(lostStatusTitle(t, { status: "refused" })).toBe("Error: No link by e-mail | Gatehouse");
  expect(lostStatusTitle(t, { status: "too-many" })).toBe("Error: Too many links | Gatehouse");
});
