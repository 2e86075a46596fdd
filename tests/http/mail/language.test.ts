import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { giveFactors, openLostPage, requestLink as reportLostFactor } from "#tests/http/factor-reset/steps.ts";
import { followRedirects, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { mailsTo, requestLink } from "#tests/http/password-reset/steps.ts";
import { createRegistrar, type Registrar, register } from "#tests/http/register/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { linkOf } from "#tests/support/mails.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

let server: TestServer;
let party: Registrar;
let anna: TestUser & { email: string };

beforeAll(async () => {
  server = await startServer();
  party = await createRegistrar(server);
});
afterAll(() => server?.close());

async function createUser(locale: string | null, fields: Parameters<TestServer["users"]["create"]>[0] = {}) {
  const user = await server.users.create({ locale, ...fields });
  anna = { ...user, email: `${user.username}@office.example` };
  // Resets the counters of the address for the next test.
  server.clock.advance(60 * 60 + 1);
}

beforeEach(() => createUser(null));

async function lastMail(count = 1) {
  const mail = (await mailsTo(server, anna.email, count)).at(-1);
  if (!mail) throw new Error("no mail came");
  return mail;
}

function languageOf({ html }: { html: string }): string | undefined {
  return /<html lang="(\w+)"/.exec(html)?.[1];
}

async function locale() {
  return (await findUser(server.context.store, anna.id))?.locale;
}

describe("a mail that a page was asked for", () => {
  test.each([
    ["de", "en", "Passwort zurücksetzen"],
    ["en", "de", "Reset your password"],
    ["de", null, "Passwort zurücksetzen"],
  ])("is in the language of the page: %s, for a user with the language %s", async (page, stored, subject) => {
    await createUser(stored);
    await requestLink(server.browser(page), anna.username);
    expect((await lastMail()).subject).toBe(subject);
    expect(await locale()).toBe(stored);
  });

  test("is in the language that was chosen by link, in a browser with another one", async () => {
    const browser = server.browser("en");
    await browser.get("/password-reset/request-form?lng=de");
    await requestLink(browser, anna.username);
    expect(languageOf(await lastMail())).toBe("de");
  });

  test("is in the language of the page: the removal of second factors", async () => {
    await createUser("en");
    await giveFactors(server, anna);
    const browser = server.browser("de");
    await reportLostFactor(browser, await openLostPage(browser, party, anna));
    expect(languageOf(await lastMail())).toBe("de");
  });

  test("is in the language of the page: the new password after a reported change", async () => {
    await createUser("en");
    codeOf(await signIn(server.browser(), party.request(), anna));
    server.clock.advance(60);
    codeOf(await signIn(server.browser(), party.request(), anna));
    const browser = server.browser("de");
    const page = await browser.follow(await browser.get(linkOf(await lastMail())));
    await browser.submit(page, page.page().form("/login/not-me"));
    expect((await lastMail(2)).subject).toBe("Passwort zurücksetzen");
  });

  test("is in the language of the page: the invitation of a user who registered there, which is stored", async () => {
    const { userId, account } = await register(server.browser("de"), party);
    anna = { ...anna, id: userId, email: account.email };
    expect(languageOf(await lastMail())).toBe("de");
    expect(await locale()).toBe("de");
  });
});

describe("the language of a user without one", () => {
  test("is that of the first sign-in, in which later notices are written", async () => {
    codeOf(await signIn(server.browser("de"), party.request(), anna));
    expect(await locale()).toBe("de");
    server.clock.advance(60);
    codeOf(await signIn(server.browser("en"), party.request(), anna));
    expect(await locale()).toBe("de");
    expect((await lastMail()).subject).toBe("Neue Anmeldung bei Ihrem Konto");
  });

  test("is that of the page of the second factor", async () => {
    const app = await giveTotp(server, anna);
    const step = await openStep(server.browser("de"), party.request().url, anna);
    expect(await locale()).toBeNull();
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code: await app.code() })));
    expect(await locale()).toBe("de");
  });

  test("is not set by a refused sign-in", async () => {
    await signIn(server.browser("de"), party.request(), { ...anna, password: "Wrong-Horse-77-Elm" });
    expect(await locale()).toBeNull();
  });

  test("is not set over one that an administrator sets", async () => {
    await createUser("en");
    codeOf(await signIn(server.browser("de"), party.request(), anna));
    expect(await locale()).toBe("en");
  });
});

describe("with DEFAULT_LANGUAGE=de", () => {
  let german: TestServer;

  beforeAll(async () => {
    german = await startServer({ env: { DEFAULT_LANGUAGE: "de" } });
  });
  afterAll(() => german?.close());

  test("the mail of a command to a user without a language is German", async () => {
    const { username } = await addUser(german.context, { username: "eva", displayName: "Eva", email: "eva@a.example" });
    await inviteUser(german.context, username);
    expect((await german.mails()).map(languageOf)).toEqual(["de"]);
  });

  test.each([
    ["", "de"],
    ["fr-FR, fr;q=0.9", "de"],
    ["fr, en;q=0.5", "en"],
  ])("a page for a browser that asks for %j is in %s", async (accept, language) => {
    for (const path of ["/login", "/manage/error/unauthorized", "/nowhere"]) {
      const page = await german.browser().get(path, { headers: { "accept-language": accept } });
      expect([page.page().lang, page.headers["content-language"]]).toEqual([language, language]);
    }
  });
});
