import { expect } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { BrowserUser, Installation } from "./installation.ts";
import { openVisit, type PageSetup, type Visit } from "./page-setup.ts";
import { scriptsHaveRun } from "./pages.ts";
import { seedSession } from "./session.ts";
import { actionOn, openSettings } from "./settings.ts";

/** Opens a page of Anna's settings. */
export function opensSettings({ anna, installation, user }: Visit, path = "/manage"): Promise<void> {
  return openSettings(installation, anna, user, path);
}

/** Opens a page of the settings of a new user, in a new browser that may get a refused form. */
export async function openSettingsPage(setup: PageSetup, path: string, options: Parameters<typeof openVisit>[1] = {}) {
  const visit = await openVisit(setup, { expected: [/status of 400/], ...options });
  await opensSettings(visit, path);
  if (options.javaScript !== false) await scriptsHaveRun(visit.anna);
  return visit;
}

/** Expects the overview, with the banner of a successful change. */
export async function seesSuccess({ page, t }: BrowserUser, status: "password-success" | "username-success") {
  await page.waitForURL(new RegExp(`/manage(\\?status=${status})?$`));
  expect(await page.locator(`[data-code="${status}"]`).textContent()).toContain(t(`manage.banner.${status}`));
}

/** Signs the same user in, in another browser. */
export async function isSignedInElsewhere({ installation, user }: Visit): Promise<BrowserUser> {
  const other = await installation.open({ javaScript: false });
  await seedSession(installation, other, user);
  return other;
}

/** Opens a page of the settings that are already open. */
export async function goesTo({ anna, installation }: Visit, path: string): Promise<void> {
  await anna.page.goto(installation.server.url + path);
}

/** Returns the path of the page of the user's only security key. */
export async function keyPage({ server }: Pick<Installation, "server">, { id }: { id: string }): Promise<string> {
  const [key, ...others] = await listWebauthnCredentials(server.context.store, id);
  if (!key || others.length > 0) throw new Error(`${others.length + (key ? 1 : 0)} keys instead of one`);
  return `/manage/mfa/keys/${key.id}`;
}

/** Fields, buttons and links of the pages about factors and credentials, located as a user finds them. */
export function settingsPages({ page, t }: Pick<BrowserUser, "page" | "t">) {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const action = (verb: "setUp" | "add" | "remove", name: string) => link(actionOn({ t }, verb, name));
  return {
    totp: {
      setUp: action("setUp", t("manageMfa.totp.name")),
      setUpInstead: link(t("manageMfa.totp.add")),
      remove: action("remove", t("manageMfa.totp.name")),
      confirm: button(t("manageTotp.confirm")),
      abort: link(t("manageTotp.abort")),
      code: field(t("field.code.label")),
      reallyRemove: button(t("manageTotp.remove.submit")),
    },
    key: {
      add: action("add", t("manageMfa.fido2.name")),
      edit: page.getByRole("link", { name: actionOn({ t }, "edit", "") }),
      start: button(t("manageFido2.start")),
      retry: button(t("common.retry")),
      abort: link(t("manageFido2.abort")),
      /** Waiting, cancelled or checking. */
      status: page.locator(".key-status"),
      name: field(t("manageKey.name.label")),
      saveName: button(t("manageKey.save")),
      remove: link(t("manageKey.remove.submit")),
      reallyRemove: button(t("manageKey.remove.submit")),
    },
    codes: {
      make: button(t("recovery.create")),
      saved: link(t("recovery.saved")),
      all: page.locator("#codes li"),
    },
    password: {
      current: field(t("field.currentPassword.label")),
      next: field(t("field.newPassword.label")),
      repeat: field(t("field.newPasswordRepeat.label")),
      endOthers: page.getByRole("checkbox", { name: t("managePassword.endOthers") }),
      save: button(t("managePassword.submit")),
      rules: page.locator("#rules").getByRole("listitem"),
      meter: page.getByRole("meter", { name: t("passwordMeter.label") }),
      missing: page.locator(".missing").getByRole("listitem"),
      async change(current: string, next: string, repeat = next) {
        await field(t("field.currentPassword.label")).fill(current);
        await field(t("field.newPassword.label")).fill(next);
        await field(t("field.newPasswordRepeat.label")).fill(repeat);
        await button(t("managePassword.submit")).click();
      },
    },
    username: { field: field(t("manageUsername.label")), save: button(t("manageUsername.submit")) },
    /** The result of the last change. */
    banner: page.locator(".banner"),
  };
}

/** Submits a form without the script's checks. */
export async function sendUnchecked({ page }: Pick<BrowserUser, "page">, path: string): Promise<void> {
  await page.locator(`form[action="${path}"]`).evaluate((form) => {
    if (form instanceof HTMLFormElement) form.submit();
  });
}

/** Submits a form with an expired anti-forgery token, in one step because hydration would restore the token. */
export async function sendStale({ page }: Pick<BrowserUser, "page">, path: string): Promise<void> {
  await page.locator(`form[action="${path}"]`).evaluate((form) => {
    form.querySelector("input[name=_xsrf]")?.setAttribute("value", "stale");
    if (form instanceof HTMLFormElement) form.submit();
  });
}
