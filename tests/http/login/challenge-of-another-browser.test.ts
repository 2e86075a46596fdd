import { beforeEach, describe, expect, test } from "vitest";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import type { AuthorizationRequest } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { findSignedInUser } from "./live-session.ts";
import { type OpenForm, openForm, stateOf, tokensOf } from "./open-form.ts";

let anna: TestUser;
/** The attacker, who has an account too. */
let mallory: TestUser;
let malloryBrowser: Browser;
let malloryRequest: AuthorizationRequest;
let malloryForm: OpenForm;
let victim: Browser;

const server = await serverOfFile();
const party = await server.parties.create({ name: "Tidewater Claims", firstParty: true });

beforeEach(async () => {
  [anna, mallory] = [await server.users.create(), await server.users.create()];
  [malloryBrowser, victim] = [server.browser(), server.browser()];
  malloryRequest = party.request({ login_hint: "mallory-was-here", scope: "openid profile" });
  malloryForm = await openForm(malloryBrowser, malloryRequest.url);
});

const typedBy = ({ username, password }: TestUser) => ({ username, password });
const finishOf = (form: OpenForm) => `/oauth2/auth/${form.challenge.split(".")[0]}`;

function expectNothingShown(page: HttpResponse) {
  const { state, nonce, parameters } = malloryRequest;
  for (const value of ["Tidewater Claims", "mallory-was-here", state, nonce, String(parameters.redirect_uri)]) {
    expect(page.body).not.toContain(value);
  }
  expect(page.page().text).toContain("Login-Challenge is empty or invalid!");
  expect(
    page
      .page()
      .form("/login/native")
      .buttons.every(({ disabled }) => disabled),
  ).toBe(true);
}

/** Expects that the attacker's browser has no session and its sign-in still waits. */
async function expectAttackerGotNothing() {
  expect((await open(malloryBrowser, finishOf(malloryForm))).status).toBe(400);
  const end = await open(malloryBrowser, malloryForm.page.url);
  expect(end.location).toBeNull();
  expect(end.page().form("/login/native").method).toBe("post");
  expect(await findSignedInUser(party, malloryBrowser)).toBe("login_required");
}

describe("a sign-in page that an attacker sends to a user", () => {
  test("is disabled, and shows nothing of the attacker's request", async () => {
    const page = await victim.get(malloryForm.page.url);
    expect([page.status, stateOf(page).error]).toEqual([400, "challenge"]);
    expectNothingShown(page);
  });

  test.each(["/login", "/login/native", "/login/proceed"])("accepts no password there (page from %s)", async (path) => {
    const page = await victim.get(`${path}?login_challenge=${malloryForm.challenge}`);
    const { xsrf_token: _xsrf } = tokensOf(page);
    const line = server.lines().length;
    const posted = await victim.post("/login/native", {
      _xsrf,
      login_challenge: malloryForm.challenge,
      ...typedBy(anna),
    });
    expect([posted.status, posted.location, stateOf(posted).error]).toEqual([400, null, "challenge"]);
    expectNothingShown(posted);
    expect(posted.body).not.toContain(anna.password);
    const checked = server
      .lines()
      .slice(line)
      .filter(({ event }) => String(event).startsWith("sign-in"));
    expect(checked).toEqual([]);
    expect(await findSignedInUser(party, victim)).toBe("login_required");
    await expectAttackerGotNothing();
  });

  test("is not completed by a user who is already signed in", async () => {
    await signIn(victim, party.request(), anna);
    const page = await victim.get(malloryForm.page.url);
    expect(page.location).toBeNull();
    expectNothingShown(page);
    const { xsrf_token: _xsrf } = tokensOf(page);
    const fields = { _xsrf, login_challenge: malloryForm.challenge, user: anna.id, proceed: "1" };
    expect((await victim.post("/login/proceed", fields)).location).toBeNull();
    await expectAttackerGotNothing();
  });

  test("can be restarted as a separate request, which is useless to the attacker", async () => {
    const page = await victim.get(malloryForm.page.url);
    const own = await followRedirects(victim, await victim.submit(page, page.page().form("/login")));
    expect(own.status).toBe(200);
    expect(tokensOf(own).login_challenge).not.toBe(malloryForm.challenge);
    expect(tokensOf(own).login_challenge.split(".")[0]).not.toBe(malloryForm.challenge.split(".")[0]);
    const end = await typePassword(victim, own, anna);
    expect(redirectParameters(end)).toMatchObject({ state: malloryRequest.state, code: expect.any(String) });
    await expectAttackerGotNothing();
  });

  test("shows nothing more when the attacker has signed in with it in the meantime", async () => {
    await followRedirects(malloryBrowser, await malloryForm.post(typedBy(mallory)));
    const page = await victim.get(malloryForm.page.url);
    expect([page.status, stateOf(page).login_result]).toEqual([400, undefined]);
    expectNothingShown(page);
  });
});

describe("an attacker's own account", () => {
  test("does not sign in in the user's browser with the attacker's challenge and token", async () => {
    const posted = await victim.post("/login/native", {
      _xsrf: malloryForm.xsrf,
      login_challenge: malloryForm.challenge,
      ...typedBy(mallory),
    });
    expect([posted.status, posted.location]).toEqual([400, null]);
    expectNothingShown(posted);
    expect(await findSignedInUser(party, victim)).toBe("login_required");
  });

  test("does not sign in there with the user's own challenge and the attacker's token", async () => {
    const own = await openForm(victim, party.request().url);
    const posted = await own.post({ _xsrf: malloryForm.xsrf, ...typedBy(mallory) });
    expect([posted.status, stateOf(posted).error]).toEqual([403, "xsrf"]);
    expect(await findSignedInUser(party, victim)).toBe("login_required");
  });

  test("cannot be brought in by the address that finishes his sign-in", async () => {
    const finish = (await malloryForm.post(typedBy(mallory))).location ?? "";
    const end = await open(victim, finish);
    expect([end.status, end.location]).toEqual([400, null]);
    expect(await findSignedInUser(party, victim)).toBe("login_required");
  });

  // Proves requirement 135.
  describe("with the attacker's resume cookie and its signature, planted by another host of the domain,", () => {
    /** Cookie paths that cover the URL which finishes the sign-in. */
    const PATHS = ["own", "/oauth2/auth", "/"];

    function plant(path: string) {
      for (const name of ["gatehouse_resume", "gatehouse_resume.sig"]) {
        const cookie = malloryBrowser.jar.find(name);
        if (!cookie) throw new Error(`The attacker has no ${name}.`);
        const where = path === "own" ? cookie.path : path;
        victim.jar.take(new URL(server.url), [`${name}=${cookie.value}; Path=${where}`]);
      }
    }

    test.each(PATHS)("is not brought in either (path: %s)", async (path) => {
      const finish = (await malloryForm.post(typedBy(mallory))).location ?? "";
      plant(path);
      const end = await open(victim, finish);
      expect([end.status, end.location, stateOf(end).error]).toEqual([400, null, "challenge"]);
      expectNothingShown(end);
      expect(await findSignedInUser(party, victim)).toBe("login_required");
      // The sign-in still works for its owner.
      expect(redirectParameters(await open(malloryBrowser, finish))).toHaveProperty("code");
    });

    test.each(PATHS)("does not push out who is signed in there (path: %s)", async (path) => {
      await signIn(victim, party.request(), anna);
      const finish = (await malloryForm.post(typedBy(mallory))).location ?? "";
      plant(path);
      const end = await open(victim, finish);
      expect([end.status, stateOf(end).error]).toEqual([400, "challenge"]);
      expect(await findSignedInUser(party, victim)).toBe(anna.id);
    });

    test("cannot enter by a URL of the victim's own sign-in", async () => {
      const own = await openForm(victim, party.request().url);
      await malloryForm.post(typedBy(mallory));
      for (const name of ["gatehouse_resume", "gatehouse_resume.sig"]) victim.jar.clear(name);
      plant("/");
      await open(victim, finishOf(own));
      expect(await findSignedInUser(party, victim)).toBe("login_required");
    });

    test("does not sign in through an open account prompt after the attacker's sign-in", async () => {
      await followRedirects(malloryBrowser, await malloryForm.post(typedBy(mallory)));
      const page = await open(malloryBrowser, party.request({ prompt: "select_account" }).url);
      const [uid] = tokensOf(page).login_challenge.split(".");
      for (const { name, value, path } of malloryBrowser.jar.all().filter(({ path: at }) => at.endsWith(`/${uid}`))) {
        victim.jar.take(new URL(server.url), [`${name}=${value}; Path=${path}`]);
      }
      const end = await open(victim, `/oauth2/auth/${uid}`);
      expect([end.status, end.location, stateOf(end).error]).toEqual([400, null, "invalid_request"]);
      expect(await findSignedInUser(party, victim)).toBe("login_required");
    });

    test("a refusal of the attacker's request is not finished there either", async () => {
      await giveTotp(server, mallory);
      const step = await openStep(malloryBrowser, malloryRequest.url, mallory);
      const finish = (await step.post("/mfa/verify", { cancel: "1" })).location ?? "";
      const uid = new URL(finish).pathname;
      for (const { name, value, path } of malloryBrowser.jar.all().filter(({ path: at }) => at === uid)) {
        victim.jar.take(new URL(server.url), [`${name}=${value}; Path=${path}`]);
      }
      expect((await open(victim, finish)).location).toBeNull();
    });
  });

  test("does not push out who is signed in there", async () => {
    await signIn(victim, party.request(), anna);
    const finish = (await malloryForm.post(typedBy(mallory))).location ?? "";
    await open(victim, finish);
    await open(victim, malloryForm.page.url);
    expect(await findSignedInUser(party, victim)).toBe(anna.id);
  });
});

describe("a user's sign-in page in the attacker's hands", () => {
  test("is useless in the attacker's browser, with the right token and password", async () => {
    const own = await openForm(victim, party.request().url);
    const posted = await malloryBrowser.post("/login/native", {
      _xsrf: own.xsrf,
      login_challenge: own.challenge,
      ...typedBy(mallory),
    });
    expect([posted.status, posted.location]).toEqual([400, null]);
    expect(redirectParameters(await followRedirects(victim, await own.post(typedBy(anna))))).toHaveProperty("code");
  });

  test("is not affected by what the attacker does with it", async () => {
    const own = await openForm(victim, party.request().url);
    const page = await malloryBrowser.get(own.page.url);
    await followRedirects(malloryBrowser, await malloryBrowser.submit(page, page.page().form("/login")));
    expect(redirectParameters(await followRedirects(victim, await own.post(typedBy(anna))))).toHaveProperty("code");
  });
});

test("two tabs on a first visit: the one whose cookie was replaced offers the same request again", async () => {
  const [one, other] = [party.request(), party.request()];
  const [first, second] = [server.browser(), server.browser()];
  const opened = await openForm(first, one.url);
  const kept = await openForm(second, other.url);
  const page = await second.get(opened.page.url);
  expectNothingShown(page);
  const again = await followRedirects(second, await second.submit(page, page.page().form("/login")));
  expect(redirectParameters(await typePassword(second, again, anna))).toMatchObject({ state: one.state });
  expect(redirectParameters(await followRedirects(second, await second.get(kept.page.url)))).toMatchObject({
    state: other.state,
  });
});
