import { vi } from "vitest";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { linkOf, type TestMail } from "#tests/support/mails.ts";
import type { TestServer } from "#tests/support/server.ts";

/** A new password that meets all rules. */
export const NEW_PASSWORD = "Harbour-Kettle-93-Lamp";

/** Requests a reset link with the form. */
export async function requestLink(browser: Browser, username: string): Promise<HttpResponse> {
  const page = await browser.get("/password-reset/request-form");
  return browser.submit(page, page.page().form("/password-reset/request"), { username });
}

/** Waits for at least `count` mails to this address and returns them, the newest last. */
export async function mailsTo(server: TestServer, address: string, count = 1): Promise<TestMail[]> {
  // The mail is queued after the response is sent.
  return vi.waitFor(
    async () => {
      const mails = (await server.mails()).filter(({ to }) => to === address);
      if (mails.length < count) throw new Error(`${mails.length} of ${count} mails to ${address}`);
      return mails;
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Requests a link and reads it from the mail. */
export async function obtainLink(server: TestServer, user: { username: string; email: string }): Promise<string> {
  const before = (await server.mails()).filter(({ to }) => to === user.email).length;
  await requestLink(server.browser(), user.username);
  const mail = (await mailsTo(server, user.email, before + 1)).at(-1);
  return linkOf(mail ?? { text: "" });
}

/** Opens a link; returns the form, or the page that states why it is invalid. */
export async function openLink(browser: Browser, link: string): Promise<HttpResponse> {
  return browser.follow(await browser.get(link));
}

/** Submits the new-password form. */
export function choose(browser: Browser, page: HttpResponse, typed: FormValues = {}): Promise<HttpResponse> {
  const values = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD, ...typed };
  return browser.submit(page, page.page().form("/password-reset/reset"), values);
}

/** Returns the target of a redirect, without the host. */
export function redirectTarget({ location }: HttpResponse): string {
  const { pathname, search } = new URL(location ?? "about:blank");
  return pathname + search;
}

export const SUCCESS = "/password-reset/reset-status?status=success";

/** The same for the first password of an account. */
export const FIRST_SUCCESS = `${SUCCESS}&first=yes`;
export const ERROR_TOKEN = "/password-reset/reset-status?status=error-token";
export const NO_LINK = "/password-reset/reset-status?status=no-link";
