import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { allow, open, seedSignIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { HINTS, REGISTRATION_URL } from "#tests/http/register/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { createRelyingParty, type Parameters, type RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

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
  "/login/proceed": async ({ server, anna, party }, browser) => {
    await seedSignIn(server, browser, party.request(), anna);
    const response = await open(browser, party.request({ prompt: "select_account" }).url);
    return { response, fields: { proceed: "1" } };
  },
  "/consent": async (setup, browser) => {
    const opened = await openConsentPage(setup, setup.server.browser());
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

async function openConsent(setup: FormSetup, browser: Browser): Promise<Opened> {
  return { response: await openConsentPage(setup, browser, { scope: "openid profile" }) };
}

async function openLogout(setup: FormSetup, browser: Browser): Promise<Opened> {
  await allow(browser, await openConsentPage(setup, browser));
  return { response: await open(browser, "/oauth2/sessions/logout") };
}

/** Opens the consent page as Anna. In a browser with a session, she signs in with the form. */
async function openConsentPage(
  { server, anna, party }: FormSetup,
  browser: Browser,
  parameters: Parameters = {},
): Promise<HttpResponse> {
  const isSeeded = await seedSession(server, browser, anna, { clientId: party.clientId });
  if (isSeeded) return open(browser, party.request({ ...parameters, prompt: "consent" }).url);
  const form = await open(browser, party.request({ ...parameters, prompt: "login consent" }).url);
  return typePassword(browser, form, anna);
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
