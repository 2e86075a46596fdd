import { countFactors, type FactorCounts } from "#app/db/repositories/factors.server.ts";
import { createFactorResetLink } from "#app/domain/user/links.server.ts";
import { mailsTo } from "#tests/http/password-reset/steps.ts";
import { openStep, readStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, type TestApp } from "#tests/support/factors.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";

export const SUCCESS = "/mfa-reset/reset-status?status=success";
export const ERROR_TOKEN = "/mfa-reset/reset-status?status=error-token";
export const TOO_EARLY = "/mfa-reset/reset-status?status=too-early";
export const STOPPED = "/mfa-reset/stop?status=success";
export const NOTHING_TO_STOP = "/mfa-reset/stop?status=error-token";

export const HOUR = 60 * 60;

/** The user has no factors left. */
export const NO_FACTORS: FactorCounts = { totp: 0, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 };

export type MailedUser = TestUser & { email: string };

/** Adds an authenticator app, a security key and recovery codes to the user. */
export async function giveFactors(server: TestServer, user: TestUser): Promise<TestApp> {
  const app = await giveTotp(server, user);
  await giveKey(server, user);
  await giveRecoveryCodes(server, user);
  return app;
}

export function factorsOf({ context }: TestServer, { id }: TestUser): Promise<FactorCounts> {
  return countFactors(context.store, id);
}

/** Creates an administrator's link, which works at once. */
export async function adminLink({ context }: TestServer, { username }: TestUser): Promise<string> {
  return (await createFactorResetLink(context, username)).url;
}

/** Submits the form of an opened link. */
export function confirm(browser: Browser, page: HttpResponse, typed: FormValues = {}): Promise<HttpResponse> {
  return browser.submit(page, page.page().form("/mfa-reset/reset"), typed);
}

/** Signs in up to the second step, and opens the page for lost factors. */
export async function openLostPage(browser: Browser, party: RelyingParty, user: TestUser): Promise<HttpResponse> {
  const step = await openStep(browser, party.request().url, user);
  return browser.get(`/mfa/lost?${new URLSearchParams({ login_challenge: step.challenge })}`);
}

/** Requests a link on that page. */
export function requestLink(browser: Browser, page: HttpResponse): Promise<HttpResponse> {
  return browser.submit(page, page.page().form("/mfa/lost"));
}

/** The links of a mail: one resets the factors, the other stops the reset. */
type ResetLinks = { reset: string; stop: string };

/** Requests a link in a new browser and reads both links from the mail. */
export async function obtainLinks(server: TestServer, party: RelyingParty, user: MailedUser): Promise<ResetLinks> {
  const before = (await server.mails()).filter(({ to }) => to === user.email).length;
  const browser = server.browser();
  await requestLink(browser, await openLostPage(browser, party, user));
  const mail = (await mailsTo(server, user.email, before + 1)).at(-1);
  const [stop = "", reset = ""] = linksOf(mail);
  return { reset, stop };
}

/** Returns the links with a token in a mail, in order. */
export function linksOf(mail: { text: string } | undefined): string[] {
  return (mail?.text ?? "").split(/\s+/).filter((word) => /^https?:\/\/\S+_token=/.test(word));
}

/** Signs in with password and code, up to the redirect to the application. */
export async function signInWithCode(browser: Browser, party: RelyingParty, user: TestUser, app: TestApp) {
  const step = await openStep(browser, party.request().url, user);
  return readStep(browser, step.page).post("/mfa/verify", { code: await app.code() });
}

/** Returns the path of a page, without its query. */
export function pathOf({ url }: HttpResponse): string {
  return new URL(url).pathname;
}
