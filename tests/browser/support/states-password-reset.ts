import { eq } from "drizzle-orm";
import { vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { forgeToken } from "./forge.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, seesHeading } from "./pages.ts";
import { linkFor, resetPages, sendUnchecked, type Typed } from "./password-reset.ts";

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

export const passwordResetStates: readonly PageState[] = [
  page("password reset, request", "passwordReset.request.title", opens("request-form")),
  problem("password reset, request with empty fields", 400, "passwordReset.request.title", async (visit) => {
    await opens("request-form")(visit);
    await resetPages(visit.anna).requestLink(" ");
    await alertOf(visit.anna.page).waitFor();
  }),
  page(
    "password reset, mail sent",
    "passwordReset.requestStatus.success.title",
    opens("request-status?status=success"),
  ),
  problem(
    "password reset, mail not sent",
    400,
    "passwordReset.requestStatus.error.title",
    opens("request-status?status=error"),
  ),
  page("new password", "passwordReset.form.title", chooses),
  page("new password, incomplete", "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    const { password, save } = resetPages(visit.anna);
    await password.fill("Leuchtturm");
    // Without JavaScript, the button is never disabled and would leave the page.
    if (await save.isDisabled()) await save.click({ force: true });
  }),
  problem("new password, empty fields", 400, "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    await isRefused(visit, { password: "", repeat: "" });
  }),
  problem("new password, rules not met", 400, "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    await isRefused(visit, { password: "Leuchtturm", repeat: "Leuchtturm" });
  }),
  problem("new password, too common", 400, "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    await isRefused(visit, { password: "Passwordpassword1", repeat: "Passwordpassword1" });
  }),
  problem("new password, form expired", 403, "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    await forgeToken(visit.anna.page);
    await isRefused(visit);
  }),
  problem("new password, server busy", 503, "passwordReset.form.title", async (visit) => {
    await chooses(visit);
    vi.spyOn(visit.installation.server.context.hasher, "hash").mockRejectedValueOnce(new DomainError("overloaded"));
    await isRefused(visit);
  }),
  page("password changed", "passwordReset.status.success.title", async (visit) => {
    await chooses(visit);
    await resetPages(visit.anna).choose(NEW_PASSWORD);
    await seesHeading(visit.anna, visit.anna.t("passwordReset.status.success.heading"));
  }),
  page("password changed, during a sign-in", "passwordReset.status.success.title", async (visit) => {
    const { anna, own } = visit;
    await anna.page.goto(`${own.url}/sign-in`);
    const { search } = new URL(anna.page.url());
    await opens(`reset-status${search}&status=success`)(visit);
  }),
  page("first password saved", "passwordReset.first.done.title", opens("reset-status?status=success&first=yes")),
  page("first password", "passwordReset.first.title", async ({ anna, installation: { server }, user }) => {
    const { q, t } = server.context.store;
    await q.update(t.users).set({ passwordHash: null, passwordSetAt: null }).where(eq(t.users.id, user.id));
    await anna.page.goto(await linkFor(server, user));
    await seesHeading(anna, anna.t("passwordReset.first.heading"));
  }),
  problem(
    "password reset, invalid link",
    400,
    "passwordReset.status.errorToken.title",
    opens(`reset-form?reset_token=${"a".repeat(43)}`),
  ),
  problem("password not changed", 400, "passwordReset.status.technical.title", opens("reset-status?status=error")),
];
