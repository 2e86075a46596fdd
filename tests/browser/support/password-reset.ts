import { findUser } from "#app/db/repositories/users.server.ts";
import { issueResetLink } from "#app/domain/password-reset/link.server.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";

/** Input of the new-password form. */
export type Typed = { password: string; repeat: string };

/** Fields, buttons and links of the password-reset pages, located as a user finds them. */
export function resetPages({ page, t }: Pick<BrowserUser, "page" | "t">) {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const password = field(t("field.newPassword.label"));
  const repeat = field(t("field.newPasswordRepeat.label"));
  const save = button(t("passwordReset.form.submit"));
  return {
    forgotPassword: link(t("login.forgotPassword")),
    username: field(t("field.usernameOrEmail.label")),
    send: button(t("passwordReset.request.submit")),
    back: link(t("passwordReset.request.back")),
    password,
    repeat,
    save,
    rules: page.locator("#rules").getByRole("listitem"),
    meter: page.getByRole("meter", { name: t("passwordMeter.label") }),
    missing: page.getByRole("status").getByRole("listitem"),
    tips: {
      heading: page.getByRole("heading", { name: t("passwordTips.heading") }),
      hide: button(t("passwordTips.dismiss")),
      show: button(t("passwordTips.show")),
    },
    newLink: link(t("passwordReset.status.errorToken.action")),
    toApp: link(t("passwordReset.status.success.action")),
    async requestLink(name: string) {
      await field(t("field.usernameOrEmail.label")).fill(name);
      await button(t("passwordReset.request.submit")).click();
    },
    async type(typed: Typed) {
      await password.fill(typed.password);
      await repeat.fill(typed.repeat);
    },
    async choose(text: string) {
      await password.fill(text);
      await repeat.fill(text);
      await save.click();
    },
  };
}

/** Creates a reset link without a mail, because mails are limited per hour. */
export async function linkFor({ context }: TestServer, { id }: Pick<TestUser, "id">): Promise<string> {
  const user = await findUser(context.store, id);
  if (!user) throw new Error(`There is no user ${id}`);
  return (await issueResetLink(context, user)).url;
}

/** Opens the mailed link of a new user in a new browser. */
export async function openResetLink(installation: Installation, options: Parameters<Installation["open"]>[0] = {}) {
  const anna = await installation.open(options);
  const user = await installation.createUser();
  await anna.page.goto(await linkFor(installation.server, user));
  await resetPages(anna).save.waitFor();
  return { anna, user };
}

/** Submits the form without the script's checks. */
export async function sendUnchecked({ page }: Pick<BrowserUser, "page">): Promise<void> {
  await page.locator('form[action="/password-reset/reset"]').evaluate((form) => {
    if (form instanceof HTMLFormElement) form.submit();
  });
}
