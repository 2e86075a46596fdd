import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { forgeToken } from "./forge.ts";
import type { Visit } from "./page-setup.ts";
import { alertOf, seesHeading } from "./pages.ts";
import { linkFor, resetPages, sendUnchecked, type Typed } from "./password-reset.ts";
import type { PageState } from "./states.ts";

const opens =
  (path: string) =>
  async ({ anna, installation }: Visit) => {
    await anna.page.goto(`${installation.server.url}/password-reset/${path}`);
  };

/** Opens Anna's link, up to the new-password form. */
async function chooses({ anna, installation, user }: Visit) {
  await anna.page.goto(await linkFor(installation.server, user));
  await resetPages(anna).save.waitFor();
}

/** Submits input that the server refuses, bypassing the script's checks. */
async function isRefused(visit: Visit, typed: Typed = { password: NEW_PASSWORD, repeat: NEW_PASSWORD }) {
  await resetPages(visit.anna).type(typed);
  await sendUnchecked(visit.anna);
  await alertOf(visit.anna.page).waitFor();
}

const form = { title: "passwordReset.form.title" } as const;
const refused = { ...form, status: 400, problem: true } as const;

export const passwordResetStates: readonly PageState[] = [
  { name: "password reset, request", status: 200, title: "passwordReset.request.title", reach: opens("request-form") },
  {
    name: "password reset, request with empty fields",
    status: 400,
    title: "passwordReset.request.title",
    problem: true,
    async reach(visit) {
      await opens("request-form")(visit);
      await resetPages(visit.anna).requestLink(" ");
      await alertOf(visit.anna.page).waitFor();
    },
  },
  {
    name: "password reset, mail sent",
    status: 200,
    title: "passwordReset.requestStatus.success.title",
    reach: opens("request-status?status=success"),
  },
  {
    name: "password reset, mail not sent",
    status: 400,
    title: "passwordReset.requestStatus.error.title",
    problem: true,
    reach: opens("request-status?status=error"),
  },
  { name: "new password", status: 200, ...form, reach: chooses },
  {
    name: "new password, incomplete",
    status: 200,
    ...form,
    async reach(visit) {
      await chooses(visit);
      const { password, save } = resetPages(visit.anna);
      await password.fill("Leuchtturm");
      // Without JavaScript, the button is never disabled and would leave the page.
      if (await save.isDisabled()) await save.click({ force: true });
    },
  },
  {
    name: "new password, empty fields",
    ...refused,
    async reach(visit) {
      await chooses(visit);
      await isRefused(visit, { password: "", repeat: "" });
    },
  },
  {
    name: "new password, rules not met",
    ...refused,
    async reach(visit) {
      await chooses(visit);
      await isRefused(visit, { password: "Leuchtturm", repeat: "Leuchtturm" });
    },
  },
  {
    name: "new password, too common",
    ...refused,
    async reach(visit) {
      await chooses(visit);
      await isRefused(visit, { password: "Passwordpassword1", repeat: "Passwordpassword1" });
    },
  },
  {
    name: "new password, form expired",
    ...refused,
    status: 403,
    async reach(visit) {
      await chooses(visit);
      await forgeToken(visit.anna.page);
      await isRefused(visit);
    },
  },
  {
    name: "new password, server busy",
    ...refused,
    status: 503,
    async reach(visit) {
      await chooses(visit);
      vi.spyOn(visit.installation.server.context.hasher, "hash").mockRejectedValueOnce(new DomainError("overloaded"));
      await isRefused(visit);
    },
  },
  {
    name: "password changed",
    status: 200,
    title: "passwordReset.status.success.title",
    async reach(visit) {
      await chooses(visit);
      await resetPages(visit.anna).choose(NEW_PASSWORD);
      await seesHeading(visit.anna, visit.anna.t("passwordReset.status.success.heading"));
    },
  },
  {
    name: "password changed, during a sign-in",
    status: 200,
    title: "passwordReset.status.success.title",
    async reach(visit) {
      const { anna, own } = visit;
      await anna.page.goto(`${own.url}/sign-in`);
      const { search } = new URL(anna.page.url());
      await opens(`reset-status${search}&status=success`)(visit);
    },
  },
  {
    name: "first password saved",
    status: 200,
    title: "passwordReset.first.done.title",
    reach: opens("reset-status?status=success&first=yes"),
  },
  {
    name: "first password",
    status: 200,
    title: "passwordReset.first.title",
    async reach({ anna, installation: { server }, user }) {
      const { q, t } = server.context.store;
      await q.update(t.users).set({ passwordHash: null, passwordSetAt: null }).where(eq(t.users.id, user.id));
      await anna.page.goto(await linkFor(server, user));
      await seesHeading(anna, anna.t("passwordReset.first.heading"));
    },
  },
  {
    name: "password reset, invalid link",
    status: 400,
    title: "passwordReset.status.errorToken.title",
    problem: true,
    reach: opens(`reset-form?reset_token=${"a".repeat(43)}`),
  },
  {
    name: "password not changed",
    status: 400,
    title: "passwordReset.status.technical.title",
    problem: true,
    reach: opens("reset-status?status=error"),
  },
];
