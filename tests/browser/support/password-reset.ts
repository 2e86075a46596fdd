import { findUser } from "#app/db/repositories/users.server.ts";
import { obtainLink } from "#tests/http/password-reset/desk.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import type { Person } from "./office.ts";

/** What the two fields of the form for a new password are filled with. */
export type Typed = { password: string; repeat: string };

/** The fields, buttons and links on the way to a new password, found as a person finds them. */
export function resetPages({ page, t }: Pick<Person, "page" | "t">) {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const password = field(t("field.newPassword.label"));
  const repeat = field(t("field.newPasswordRepeat.label"));
  const save = button(t("passwordReset.form.submit"));
  return {
    forgot: link(t("login.forgotPassword")),
    username: field(t("field.username.label")),
    send: button(t("passwordReset.request.submit")),
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
    async ask(name: string) {
      await field(t("field.username.label")).fill(name);
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

/** The link out of a mail to this user. */
export async function linkFor(server: TestServer, { id, username }: Pick<TestUser, "id" | "username">) {
  const user = await findUser(server.context.store, id);
  return obtainLink(server, { username, email: user?.email ?? "" });
}

/** Sends the form past its script, as a browser without one does. */
export async function sendUnchecked({ page }: Pick<Person, "page">): Promise<void> {
  await page.locator('form[action="/password-reset/reset"]').evaluate((form) => {
    if (form instanceof HTMLFormElement) form.submit();
  });
}
