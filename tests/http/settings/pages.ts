import { eq } from "drizzle-orm";
import { findUser } from "#app/db/repositories/users.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { pathOf, type SettingsClient } from "./steps.ts";

export const TWO_STEP = "/manage/mfa";
export const TOTP = "/manage/mfa/register-totp";
export const TOTP_REMOVAL = "/manage/mfa/totp/remove";
export const FIDO2 = "/manage/mfa/register-fido2";
export const CODES = "/manage/mfa/recovery-codes";
export const PASSWORD = "/manage/credentials/password";
export const USERNAME = "/manage/credentials/username";

/** A user who has just signed in and opened the settings, in a browser without JavaScript. */
export type Visitor = {
  browser: Browser;
  user: TestUser;
  open(path: string): Promise<HttpResponse>;
  /** Opens a page and submits its form; `choice` is the `intent` of a page with several forms. */
  send(path: string, values?: FormValues, choice?: string): Promise<HttpResponse>;
  stored(): Promise<NonNullable<Awaited<ReturnType<typeof findUser>>>>;
};

export async function visit(server: TestServer, settingsClient: SettingsClient, user: TestUser): Promise<Visitor> {
  const browser = server.browser();
  await settingsClient.openSettings(browser, user);
  const open = (path: string) => browser.get(path);
  return {
    browser,
    user,
    open,
    send: async (path, values = {}, choice) => fill(browser, await open(path), path, values, choice),
    async stored() {
      const found = await findUser(server.context.store, user.id);
      if (!found) throw new Error("user not found");
      return found;
    },
  };
}

/** Submits the form of an open page to its own URL. */
export function fill(
  browser: Browser,
  page: HttpResponse,
  path: string,
  values: FormValues = {},
  choice?: string,
): Promise<HttpResponse> {
  const forms = page.page().forms();
  const isWanted = (fields: (typeof forms)[number]["fields"]) =>
    choice === undefined || fields.some(([name, value]) => name === "intent" && value === choice);
  const [form, ...others] = forms.filter(({ action, fields }) => action === path && isWanted(fields));
  if (!form || others.length > 0) throw new Error(`${others.length + (form ? 1 : 0)} forms that post to ${path}`);
  return browser.submit(page, form, values);
}

/** Returns status, state's error, title, and alert text of the response to a refused form. */
export function refusalIn(response: HttpResponse): { status: number; error: unknown; title: string; words: string } {
  const page = response.page();
  const alert = page.all("div", { role: "alert" })[0];
  return {
    status: response.status,
    error: stateOf(response).error ?? null,
    title: page.title,
    words: alert?.text ?? "",
  };
}

/** Returns the status of a response and the target of its redirect. */
export function statusAndTarget(response: HttpResponse): [status: number, path: string | null] {
  return [response.status, pathOf(response)];
}

/** Counts everything of the user that a form may change. */
export async function countFactors({ context }: TestServer, { id }: Pick<TestUser, "id">) {
  const { t, q } = context.store;
  return {
    apps: await q.$count(t.totpCredentials, eq(t.totpCredentials.userId, id)),
    keys: await q.$count(t.webauthnCredentials, eq(t.webauthnCredentials.userId, id)),
    codes: await q.$count(t.recoveryCodes, eq(t.recoveryCodes.userId, id)),
  };
}
