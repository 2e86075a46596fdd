import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { allow, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { HINTS, REGISTRATION_URL } from "#tests/http/register/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";

/** Every URL that accepts a form, and its fields beside the token. */
export const FORM_PATHS = [
  "/login",
  "/login/native",
  "/login/proceed",
  "/consent",
  "/consent/accept",
  "/consent/reject",
  "/logout/accept",
  "/logout/reject",
  "/register",
  "/password-reset/request",
  "/password-reset/reset",
] as const;
export type FormPath = (typeof FORM_PATHS)[number];

/** Forms that need no session: they accept a token from before the session too. */
export const OPEN_FORMS: readonly FormPath[] = [
  "/login",
  "/login/native",
  "/register",
  "/password-reset/request",
  "/password-reset/reset",
];

/** The fields of an open form. `token` is its anti-forgery token. */
export type FilledForm = {
  path: FormPath;
  token: string;
  fields: Readonly<Record<string, string | readonly string[]>>;
};

/** The server, user and client needed to open any form. */
export type FormSetup = { server: TestServer; anna: TestUser; party: RelyingParty };

export async function createFormSetup(server: TestServer): Promise<FormSetup> {
  const client = await server.clients.create({ registrationUrl: REGISTRATION_URL, regHints: ["email", "name"] });
  const party = createRelyingParty({ issuer: server.url, client });
  return { server, anna: await server.users.create(), party };
}

/** Opens the page with the form in this browser and fills it in as the user would. */
export async function openFormAt(setup: FormSetup, path: FormPath, browser: Browser): Promise<FilledForm> {
  const { response, fields } = await pages[path](setup, browser);
  const form = response.page().form(path);
  const { _xsrf = "", ...hidden } = collect(form.fields);
  return { path, token: String(_xsrf), fields: { ...hidden, ...fields } };
}

type Opened = { response: Awaited<ReturnType<typeof open>>; fields?: Record<string, string> };

const pages: Record<FormPath, (setup: FormSetup, browser: Browser) => Promise<Opened>> = {
  "/login": async ({ server, party }, browser) => {
    const opened = await open(server.browser(), party.request().url);
    return { response: await browser.get(opened.url), fields: { username: "anna" } };
  },
  "/login/native": async ({ anna, party }, browser) => {
    const response = await open(browser, party.request({ prompt: "login" }).url);
    return { response, fields: { username: anna.username, password: anna.password } };
  },
  "/login/proceed": async ({ anna, party }, browser) => {
    await signIn(browser, party.request(), anna);
    const response = await open(browser, party.request({ prompt: "select_account" }).url);
    return { response, fields: { proceed: "1" } };
  },
  "/consent": async ({ server, anna, party }, browser) => {
    const other = server.browser();
    const opened = await typePassword(other, await open(other, party.request({ prompt: "login consent" }).url), anna);
    return { response: await browser.get(opened.url) };
  },
  "/consent/accept": openConsent,
  "/consent/reject": openConsent,
  "/logout/accept": openLogout,
  "/logout/reject": openLogout,
  "/register": async ({ party }, browser) => ({
    response: await open(browser, party.request({ prompt: "login", ...HINTS }).url),
  }),
  "/password-reset/request": async ({ anna }, browser) => ({
    response: await browser.get("/password-reset/request-form"),
    fields: { username: anna.username },
  }),
  "/password-reset/reset": async ({ server }, browser) => {
    // For another user, because anna's password is still needed.
    const { url } = await createPasswordLink(server.context, (await server.users.create()).username);
    const response = await openLink(browser, url);
    return { response, fields: { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD } };
  },
};

async function openConsent({ anna, party }: FormSetup, browser: Browser): Promise<Opened> {
  const form = await open(browser, party.request({ prompt: "login consent", scope: "openid profile" }).url);
  return { response: await typePassword(browser, form, anna) };
}

async function openLogout({ anna, party }: FormSetup, browser: Browser): Promise<Opened> {
  const form = await open(browser, party.request({ prompt: "login consent" }).url);
  await allow(browser, await typePassword(browser, form, anna));
  return { response: await open(browser, "/oauth2/sessions/logout") };
}

function collect(fields: readonly (readonly [string, string])[]) {
  const names = new Set(fields.map(([name]) => name));
  const valuesOf = (name: string) => fields.filter(([other]) => other === name).map(([, value]) => value);
  return Object.fromEntries([...names].map((name) => [name, one(valuesOf(name))]));
}

function one(values: readonly string[]): string | readonly string[] {
  const [first = ""] = values;
  return values.length === 1 ? first : values;
}
