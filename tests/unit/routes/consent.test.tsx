import { describe, expect, test } from "vitest";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { consentTitle } from "#app/routes/consent/consent-page.tsx";
import { render } from "./render.tsx";
import { APP_URL, consent, consentState } from "./samples.tsx";

const FIELDS = [
  ["_xsrf", "the-token"],
  ["consent_challenge", "the-challenge"],
  ["scopes", "openid"],
  ["scopes", "profile"],
  ["scopes", "claims"],
];

describe("an open request", () => {
  const page = render(consent());

  test("posts one scopes field per scope, from both forms", () => {
    expect(page.forms().map(({ action }) => action)).toEqual(["/consent/accept", "/consent/reject"]);
    expect(page.form("/consent/accept").fields).toEqual(FIELDS);
    expect(page.form("/consent/reject").fields).toEqual(FIELDS);
  });

  test("names the application, the account, the scopes and the host of the redirect URI", () => {
    expect(page.one("h1").text).toBe("Broker Desk would like to access your account");
    expect(page.text).toContain("Signed in as Anna Berger");
    expect(page.one("ul", { class: "scopes" }).text).toContain("Read and edit insurance claims");
    expect(page.text).toContain("Afterwards you will be taken to desk.example.");
    expect(page.text).toContain("You and your administrator can withdraw this access at any time.");
    expect(page.one("a", { href: "/manage/open?to=/manage/applications" }).text).toBe("View applications");
    expect(page.one("a", { href: "https://desk.example/privacy" }).text).toBe("Privacy policy of Broker Desk");
  });

  test("names each permission once, although `offline` and `offline_access` were requested", () => {
    const scopes = ["openid", "offline", "offline_access"].map((id) => ({ id }));
    const twice = render(consent({ scopes }));
    expect(twice.one("ul", { class: "scopes" }).text.match(/Ongoing access/g)).toHaveLength(1);
    expect(twice.form("/consent/accept").fields.filter(([name]) => name === "scopes")).toHaveLength(3);
  });

  test("has one row for more than five modules, with their names, and their details unfolded on demand", () => {
    const modules = SCOPES.filter((scope) => "isModule" in scope);
    const many = render(consent({ scopes: [{ id: "profile" }, ...modules.slice(0, 6), { id: "offline" }] }));
    const [list] = many.all("ul", { class: "scopes" });
    expect(list?.text).toMatch(/^Profile.*6 modules ?Staff web service, Portfolios.*Ongoing access/s);
    expect(many.one("details").text).toContain("Read and edit insurance portfolios");
    expect(render(consent({ scopes: modules.slice(0, 5).map(({ id }) => ({ id })) })).all("details")).toEqual([]);
  });

  test("has a text for a request without scopes", () => {
    const empty = render(consent({ scopes: [] }));
    expect(empty.text).toContain("No additional access is requested.");
    expect(empty.all("ul", { class: "scopes" })).toEqual([]);
    expect(empty.form("/consent/accept").fields.map(([name]) => name)).toEqual(["_xsrf", "consent_challenge"]);
  });

  test("is shown again with an error when the form has expired", () => {
    const again = render(consent({ error: "xsrf" }));
    expect(again.one("div", { "data-code": "xsrf" }).text).toContain("This page was open for too long.");
    expect(again.form("/consent/accept").fields).toEqual(FIELDS);
  });
});

test('with a redirect URI, "Reject" is a link to it', () => {
  const redirect_uri = "https://desk.example/callback?error=access_denied&state=1";
  const page = render(consent({ redirect_uri }));
  expect(page.one("a", { href: redirect_uri }).text).toBe("Reject");
  expect(page.forms().map(({ action }) => action)).toEqual(["/consent/accept"]);
});

test("a failed consent cannot be allowed", () => {
  const page = render(consent({ error: "bad request" }));
  expect(page.one("div", { "data-code": "bad request" }).text).toMatch(/^Consent failed!/);
  expect(page.forms().map(({ action }) => action)).toEqual(["/consent/reject"]);
});

test("invalid scopes cannot be allowed, and the list of scopes is hidden", () => {
  const page = render(consent({ error: "invalid-scope-requested" }));
  expect(page.one("div", { "data-code": "invalid-scope-requested" }).text).toMatch(
    /^The application requested invalid scopes!/,
  );
  expect(page.all("ul", { class: "scopes" })).toEqual([]);
  expect(page.forms().map(({ action }) => action)).toEqual(["/consent/reject"]);
});

test.each(["invalid-scope-requested", "bad request"] as const)(
  "a request that cannot be allowed (%s) states where rejecting leads, and names the application",
  (error) => {
    const page = render(consent({ error }));
    expect(page.text).toContain("“Reject” takes you back to Broker Desk without signing you in there.");
  },
);

test("invalid scopes name the application that requested them", () => {
  expect(render(consent({ error: "invalid-scope-requested" })).text).toContain("Broker Desk cannot get this access.");
});

test("an expired request shows no data of a request, and offers the next step", () => {
  const gone = { error: "challenge", client: null, scopes: [] } as const;
  const page = render(consent({ ...gone, scopes: [] }, { client: null }));
  expect(page.text).not.toContain("Broker Desk");
  expect(page.all("a", { href: APP_URL })).toHaveLength(1);
  const again = render(consent({ ...gone, scopes: [] }, { client: null, restartChallenge: "old" }));
  expect(again.form("/consent").fields).toEqual([
    ["_xsrf", "the-token"],
    ["consent_challenge", "old"],
  ]);
});

test("a rejected consent links the application", () => {
  const page = render(consent({ status: "rejected" }));
  expect(page.text).toContain("Broker Desk has received no data.");
  expect(page.one("a", { href: "https://desk.example/" }).text).toBe("Back to Broker Desk");
});

test("markup in a name or a scope is escaped", () => {
  const name = "<script>alert(1)</script>";
  const page = render(
    consent({ client: { name, policy_uri: null }, scopes: [{ id: name }] }, { accountName: name, redirectHost: name }),
  );
  expect(page.all("script")).toEqual([]);
  expect(page.one("h1").text).toContain(name);
  expect(page.form("/consent/accept").fields).toContainEqual(["scopes", name]);
});

test("the title reports an error", () => {
  const { t } = getInstance("en", "Gatehouse");
  expect(consentTitle(t, consentState())).toBe("Allow access | Gatehouse");
  expect(consentTitle(t, consentState({ error: "challenge" }))).toBe("Error: Allow access | Gatehouse");
});
