import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addClient, addUser, REDIRECT_URI, runHere } from "#tests/http/crash/command.ts";
import { changeLanguage } from "#tests/http/login/change-language.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { type Browser, createBrowser, type HttpResponse } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { buildWithPseudoLanguage, PSEUDO, pseudo, withoutPseudoTexts } from "./pseudo-language.ts";

const ANNA = { username: "anna", password: TEST_PASSWORD };
const BERT = { username: "bert", password: TEST_PASSWORD };

/** Names and values on the pages that are not translated. */
const DATA = ["Name of anna", "NA", "anna", "bert", "suite", "desk", "Gatehouse", "localhost", "English", "Deutsch"];

let root: string;
let server: ChildServer;
let party: RelyingParty;
/** A client that needs the user's consent. */
let foreign: RelyingParty;
let browser: Browser;

/** Bert's group requires a second factor. The browser is set to the pseudo-language. */
beforeAll(async () => {
  root = await buildWithPseudoLanguage();
  server = await startChildServer({ root });
  party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
  await addUser(server, ANNA);
  await addUser(server, BERT);
  await run(["group", "add", "desk", "--require-mfa"]);
  await run(["user", "set", "bert", "--group", "desk"]);
  await run(["client", "add", "--id", "foreign", "--name", "desk", "--redirect-uri", REDIRECT_URI, "--everyone"]);
  const client = { clientId: "foreign", clientSecret: null, redirectUri: REDIRECT_URI };
  foreign = createRelyingParty({ issuer: server.url, client });
  browser = newBrowser();
}, 300_000);

afterAll(() => server?.remove());

async function run(args: readonly string[]): Promise<void> {
  const { code, stderr } = await runHere(server.env, args);
  expect(code, stderr).toBe(0);
}

const newBrowser = (language = PSEUDO) => createBrowser({ base: server.url, language });

async function signIn(user = ANNA, from = browser, request = party.request()): Promise<HttpResponse> {
  return typePassword(from, await open(from, request.url), user);
}

/** Returns the words of a page outside pseudo-texts and data: of the title, the visible text and the labels. */
function foreignWords(answer: HttpResponse): string[] {
  const page = answer.page();
  const labels = [...answer.body.matchAll(/ (?:aria-label|alt|placeholder|title)="([^"]*)"/g)].map(([, text]) => text);
  const untranslated = ["code", "q", "p", "b", "small", "span", "dl"].flatMap((tag) => [
    ...page.all(tag, { translate: "no" }),
    ...(["code", "q"].includes(tag) ? page.all(tag) : []),
  ]);
  const data = [...untranslated.map(({ text }) => text), ...DATA].filter((text) => text !== "");
  const rest = data.reduce(
    (text, value) => text.replaceAll(value, " "),
    withoutPseudoTexts([page.title, page.text, ...labels].join("\n")),
  );
  return rest.match(/\p{L}{2,}/gu) ?? [];
}

/** Returns the languages that a page offers, and their names. */
function offered(answer: HttpResponse): [string | undefined, string][] {
  return [...answer.page().all("a"), ...answer.page().all("button")]
    .filter(({ attributes }) => attributes.lang !== undefined)
    .map(({ attributes, text }) => [attributes.lang, text]);
}

const SIGN_IN_PAGES: [page: string, show: () => Promise<HttpResponse>][] = [
  ["the front page", () => browser.get("/")],
  ["the sign-in form", () => open(newBrowser(), party.request().url)],
  ["a refused sign-in", () => signIn({ ...ANNA, password: "Wrong-Window-27-Oak" }, newBrowser())],
  ["the question for consent", () => signIn(ANNA, newBrowser(), foreign.request())],
  ["the error page of a client", () => browser.get("/error?error=invalid_request&error_description=abc")],
  ["an expired challenge", () => browser.get("/consent")],
  ["the form for a new password", () => browser.get("/password-reset/request-form")],
  ["an invalid link of a password reset", () => open(browser, "/password-reset/reset-form?token=none")],
  ["the set-up of a second factor", () => signIn(BERT, newBrowser())],
  ["the question before a sign-out", () => open(browser, "/oauth2/sessions/logout")],
];

const SETTINGS_PAGES = [
  "/manage/open",
  "/manage/credentials/password",
  "/manage/credentials/username",
  "/manage/mfa",
  "/manage/mfa/register-totp",
  "/manage/sessions",
  "/manage/applications",
  "/manage/activity",
  "/manage/nowhere",
];

describe("a language of which only the folder was added", () => {
  test.each(SIGN_IN_PAGES)("%s is in it, and offers all other languages", async (_page, show) => {
    const answer = await show();
    expect([answer.page().lang, answer.headers["content-language"]]).toEqual([PSEUDO, PSEUDO]);
    expect(answer.page().title).toContain("[!!");
    expect(foreignWords(answer)).toEqual([]);
    expect(offered(answer)).toEqual([
      ["en", "English"],
      ["de", "Deutsch"],
    ]);
  });

  test("is the language of the settings, if the browser is set to it", async () => {
    await signIn();
    for (const path of SETTINGS_PAGES) {
      const answer = await open(browser, path);
      expect([path, answer.page().lang]).toEqual([path, PSEUDO]);
      expect(answer.page().one("h1").text).toContain("[!!");
      expect([path, ...foreignWords(answer)]).toEqual([path]);
    }
  });

  test("is offered by the pages of other languages, and chosen by link", async () => {
    const english = newBrowser("en");
    const form = await open(english, party.request().url);
    expect(offered(form)).toEqual([
      ["de", "Deutsch"],
      [PSEUDO, pseudo("English")],
    ]);
    const chosen = await changeLanguage(english, form, { to: PSEUDO });
    expect(chosen.page().lang).toBe(PSEUDO);
    expect(chosen.setCookies.join()).toContain(`i18next=${PSEUDO};`);
    expect((await english.get("/nowhere")).page().lang).toBe(PSEUDO);
  });

  test("is supported by the provider", async () => {
    const { ui_locales_supported } = Object((await browser.get("/.well-known/openid-configuration")).json());
    expect(ui_locales_supported).toEqual(["en", "de", PSEUDO]);
    const page = await open(newBrowser("en"), party.request({ ui_locales: `fr ${PSEUDO}` }).url);
    expect(page.page().lang).toBe(PSEUDO);
  });

  test("has English texts in place of missing ones", async () => {
    const answer = await browser.get("/nowhere");
    expect(answer.page().title).toContain("Page not found");
    expect(foreignWords(answer).join(" ")).toMatch(/^(Page not found ?)+$/);
  });

  test("has a file of texts for the settings, which lacks none", () => {
    const folder = join(root, "build/client/assets");
    const [file = "", ...others] = readdirSync(folder).filter((name) => /^settings-texts\.xx-.*\.js$/.test(name));
    expect(others).toEqual([]);
    const script = readFileSync(join(folder, file), "utf8");
    for (const text of [pseudo("Show"), "Page not found"]) expect(script).toContain(text);
  });
});
