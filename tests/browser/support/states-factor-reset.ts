import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { createFactorResetLink } from "#app/domain/user/links.server.ts";
import { giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import type { TestServer } from "#tests/support/server.ts";
import { goToSecondFactor } from "./factors.ts";
import { submitForged } from "./forge.ts";
import type { BrowserUser } from "./installation.ts";
import type { Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { seesHeading } from "./pages.ts";

/** Buttons and links of the factor-reset pages, located as a user finds them. */
function resetPages({ page, t }: Pick<BrowserUser, "page" | "t">) {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  return {
    lost: page.getByRole("link", { name: t("mfaReset.lost.link"), exact: true }),
    send: button(t("mfaReset.lost.submit")),
    reset: button(t("mfaReset.form.submit")),
    stop: button(t("mfaReset.stop.submit")),
  };
}

const opens =
  (path: string) =>
  async ({ anna, installation }: Visit) => {
    await anna.page.goto(`${installation.server.url}${path}`);
  };

/** Opens an administrator's link, up to the confirmation. */
async function openResetForm({ anna, installation, user }: Visit) {
  await giveTotp(installation.server, user);
  await anna.page.goto((await createFactorResetLink(installation.server.context, user.username)).url);
  await resetPages(anna).reset.waitFor();
}

/** Opens the page for a lost device. */
async function isOffered({ anna, clientApp, installation, user }: Visit) {
  await giveTotp(installation.server, user);
  await giveRecoveryCodes(installation.server, user);
  await goToSecondFactor(anna, `${clientApp.url}/sign-in`, user);
  await resetPages(anna).lost.click();
  await resetPages(anna).send.waitFor();
}

async function requestLink(visit: Visit) {
  await isOffered(visit);
  await resetPages(visit.anna).send.click();
  await seesHeading(visit.anna, visit.anna.t("mfaReset.lost.success.heading"));
}

/** Returns the link with this path in the newest mail to the user. */
async function linkIn(server: TestServer, { username }: { username: string }, path: string): Promise<string> {
  const mails = (await server.mails()).filter(({ to }) => to === `${username}@office.example`);
  const words = (mails.at(-1)?.text ?? "").split(/\s+/);
  return words.find((word) => word.includes(path)) ?? "";
}

/** Opens the stop link of a pending reset. */
async function canStop(visit: Visit) {
  const { anna, installation, user } = visit;
  await requestLink(visit);
  await anna.page.goto(await linkIn(installation.server, user, "/mfa-reset/stop?"));
  await resetPages(anna).stop.waitFor();
}

/** Opens the link of a notice about a new browser. */
async function openNotMe({ anna, installation: { server }, user }: Visit) {
  await notifyUser(server.context, user.id, { template: { name: "new-browser" } });
  await anna.page.goto(await linkIn(server, user, "/login/not-me?"));
  await seesHeading(anna, anna.t("notMe.heading"));
}

export const factorResetStates: readonly PageState[] = [
  page("factor reset", "mfaReset.form.title", openResetForm),
  problem("factor reset, form expired", 403, "mfaReset.form.title", async (visit) => {
    await openResetForm(visit);
    await submitForged(resetPages(visit.anna).reset);
  }),
  page("factors reset", "mfaReset.status.success.title", async (visit) => {
    await openResetForm(visit);
    await resetPages(visit.anna).reset.click();
    await seesHeading(visit.anna, visit.anna.t("mfaReset.status.success.heading"));
  }),
  problem(
    "factor reset, invalid link",
    400,
    "mfaReset.status.errorToken.title",
    opens(`/mfa-reset/reset-form?reset_token=${"a".repeat(43)}`),
  ),
  problem("factor reset, link not opened", 400, "passwordReset.status.noLink.title", opens("/mfa-reset/reset-form")),
  problem("factor reset, waiting period not over", 400, "mfaReset.status.tooEarly.title", async (visit) => {
    const { anna, installation, user } = visit;
    await requestLink(visit);
    await anna.page.goto(await linkIn(installation.server, user, "/mfa-reset/reset-form?"));
    await seesHeading(anna, anna.t("mfaReset.status.tooEarly.heading"));
  }),
  problem("factors not reset", 400, "mfaReset.status.technical.title", opens("/mfa-reset/reset-status?status=error")),
  page("factor reset, can be stopped", "mfaReset.stop.title", canStop),
  page("factor reset, stopped", "mfaReset.stop.success.heading", async (visit) => {
    await canStop(visit);
    await resetPages(visit.anna).stop.click();
    await seesHeading(visit.anna, visit.anna.t("mfaReset.stop.success.heading"));
  }),
  problem(
    "factor reset, nothing to stop",
    400,
    "mfaReset.stop.errorToken.title",
    opens(`/mfa-reset/stop?stop_token=${"a".repeat(43)}`),
  ),
  problem("factor reset, stop link not opened", 400, "passwordReset.status.noLink.title", opens("/mfa-reset/stop")),
  page("not me", "notMe.heading", openNotMe),
  problem("not me, form expired", 403, "notMe.heading", async (visit) => {
    await openNotMe(visit);
    await submitForged(visit.anna.page.getByRole("button", { name: visit.anna.t("notMe.submit"), exact: true }));
  }),
  page("not me, all ended", "notMe.success.heading", async (visit) => {
    await openNotMe(visit);
    await visit.anna.page.getByRole("button", { name: visit.anna.t("notMe.submit"), exact: true }).click();
    await seesHeading(visit.anna, visit.anna.t("notMe.success.heading"));
  }),
  problem("not me, failed", 400, "notMe.technical.heading", opens("/login/not-me?status=error")),
  problem(
    "not me, invalid link",
    400,
    "notMe.errorToken.heading",
    opens(`/login/not-me?not_me_token=${"a".repeat(43)}`),
  ),
  problem("not me, link not opened", 400, "passwordReset.status.noLink.title", opens("/login/not-me")),
  page("factor lost", "mfaReset.lost.title", isOffered),
  problem("factor lost, form expired", 403, "mfaReset.lost.title", async (visit) => {
    await isOffered(visit);
    await submitForged(resetPages(visit.anna).send);
  }),
  page("factor lost, link sent", "mfaReset.lost.success.title", requestLink),
  problem(
    "factor lost, no link",
    400,
    "mfaReset.lost.refused.title",
    opens("/mfa/lost?status=refused&login_challenge=none"),
  ),
  problem(
    "factor lost, no more links",
    400,
    "mfaReset.lost.tooMany.title",
    opens("/mfa/lost?status=too-many&login_challenge=none"),
  ),
  problem("factor lost, mail failed", 400, "mfaReset.status.technical.title", opens("/mfa/lost?status=error")),
];
