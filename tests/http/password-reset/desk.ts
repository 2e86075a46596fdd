import { vi } from "vitest";
import type { Answer, Browser, FormValues } from "#tests/support/browser-jar.ts";
import { linkOf, type TestMail } from "#tests/support/mails.ts";
import type { TestServer } from "#tests/support/server.ts";

/** A new password that keeps all the rules. */
export const NEW_PASSWORD = "Harbour-Kettle-93-Lamp";

/** Asks for a link to a new password, as the form does. */
export async function askForLink(browser: Browser, username: string): Promise<Answer> {
  const page = await browser.get("/password-reset/request-form");
  return browser.submit(page, page.page().form("/password-reset/request"), { username });
}

/** The mails that were sent to this address, once there are so many; the last one is the newest. */
export async function mailsTo(server: TestServer, address: string, count = 1): Promise<TestMail[]> {
  // The mail is queued when the answer is out already.
  return vi.waitFor(
    async () => {
      const mails = (await server.mails()).filter(({ to }) => to === address);
      if (mails.length < count) throw new Error(`${mails.length} of ${count} mails to ${address}`);
      return mails;
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Asks for a link and takes it out of the mail. */
export async function obtainLink(server: TestServer, user: { username: string; email: string }): Promise<string> {
  const before = (await server.mails()).filter(({ to }) => to === user.email).length;
  await askForLink(server.browser(), user.username);
  const mail = (await mailsTo(server, user.email, before + 1)).at(-1);
  return linkOf(mail ?? { text: "" });
}

/** Opens a link up to the form, or up to the page that says why there is none. */
export async function openLink(browser: Browser, link: string): Promise<Answer> {
  return browser.follow(await browser.get(link));
}

/** Fills in the form for a new password and sends it. */
export function choose(browser: Browser, page: Answer, typed: FormValues = {}): Promise<Answer> {
  const values = { password: NEW_PASSWORD, password_repeat: NEW_PASSWORD, ...typed };
  return browser.submit(page, page.page().form("/password-reset/reset"), values);
}

/** Where an answer leads, without the host. */
export function wayOf({ location }: Answer): string {
  const { pathname, search } = new URL(location ?? "about:blank");
  return pathname + search;
}

export const SUCCESS = "/password-reset/reset-status?status=success";
export const ERROR_TOKEN = "/password-reset/reset-status?status=error-token";
