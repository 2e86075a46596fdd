import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { createFactorResetLink } from "#app/domain/user/links.server.ts";
import { giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import type { TestServer } from "#tests/support/server.ts";
import { goToSecondFactor } from "./factors.ts";
import { submitForged } from "./forge.ts";
import type { BrowserUser } from "./installation.ts";
import type { Visit } from "./page-setup.ts";
import { seesHeading } from "./pages.ts";
import type { PageState } from "./states.ts";

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

const refused = { status: 400, problem: true } as const;

export const factorResetStates: readonly PageState[] = [
  { name: "factor reset", status: 200, title: "mfaReset.form.title", reach: openResetForm },
  {
    name: "factor reset, form expired",
    status: 403,
    problem: true,
    title: "mfaReset.form.title",
    async reach(visit) {
      await openResetForm(visit);
      await submitForged(resetPages(visit.anna).reset);
    },
  },
  {
    name: "factors reset",
    status: 200,
    title: "mfaReset.status.success.title",
    async reach(visit) {
      await openResetForm(visit);
      await resetPages(visit.anna).reset.click();
      await seesHeading(visit.anna, visit.anna.t("mfaReset.status.success.heading"));
    },
  },
  {
    name: "factor reset, invalid link",
    ...refused,
    title: "mfaReset.status.errorToken.title",
    reach: opens(`/mfa-reset/reset-form?reset_token=${"a".repeat(43)}`),
  },
  {
    name: "factor reset, link not opened",
    ...refused,
    title: "passwordReset.status.noLink.title",
    reach: opens("/mfa-reset/reset-form"),
  },
  {
    name: "factor reset, waiting period not over",
    ...refused,
    title: "mfaReset.status.tooEarly.title",
    async reach(visit) {
      const { anna, installation, user } = visit;
      await requestLink(visit);
      await anna.page.goto(await linkIn(installation.server, user, "/mfa-reset/reset-form?"));
      await seesHeading(anna, anna.t("mfaReset.status.tooEarly.heading"));
    },
  },
  {
    name: "factors not reset",
    ...refused,
    title: "mfaReset.status.technical.title",
    reach: opens("/mfa-reset/reset-status?status=error"),
  },
  { name: "factor reset, can be stopped", status: 200, title: "mfaReset.stop.title", reach: canStop },
  {
    name: "factor reset, stopped",
    status: 200,
    title: "mfaReset.stop.success.heading",
    async reach(visit) {
      await canStop(visit);
      await resetPages(visit.anna).stop.click();
      await seesHeading(visit.anna, visit.anna.t("mfaReset.stop.success.heading"));
    },
  },
  {
    name: "factor reset, nothing to stop",
    ...refused,
    title: "mfaReset.stop.errorToken.title",
    reach: opens(`/mfa-reset/stop?stop_token=${"a".repeat(43)}`),
  },
  {
    name: "factor reset, stop link not opened",
    ...refused,
    title: "passwordReset.status.noLink.title",
    reach: opens("/mfa-reset/stop"),
  },
  { name: "not me", status: 200, title: "notMe.heading", reach: openNotMe },
  {
    name: "not me, form expired",
    status: 403,
    problem: true,
    title: "notMe.heading",
    async reach(visit) {
      await openNotMe(visit);
      await submitForged(visit.anna.page.getByRole("button", { name: visit.anna.t("notMe.submit"), exact: true }));
    },
  },
  {
    name: "not me, all ended",
    status: 200,
    title: "notMe.success.heading",
    async reach(visit) {
      await openNotMe(visit);
      await visit.anna.page.getByRole("button", { name: visit.anna.t("notMe.submit"), exact: true }).click();
      await seesHeading(visit.anna, visit.anna.t("notMe.success.heading"));
    },
  },
  {
    name: "not me, failed",
    ...refused,
    title: "notMe.technical.heading",
    reach: opens("/login/not-me?status=error"),
  },
  {
    name: "not me, invalid link",
    ...refused,
    title: "notMe.errorToken.heading",
    reach: opens(`/login/not-me?not_me_token=${"a".repeat(43)}`),
  },
  {
    name: "not me, link not opened",
    ...refused,
    title: "passwordReset.status.noLink.title",
    reach: opens("/login/not-me"),
  },
  { name: "factor lost", status: 200, title: "mfaReset.lost.title", reach: isOffered },
  {
    name: "factor lost, form expired",
    status: 403,
    problem: true,
    title: "mfaReset.lost.title",
    async reach(visit) {
      await isOffered(visit);
      await submitForged(resetPages(visit.anna).send);
    },
  },
  { name: "factor lost, link sent", status: 200, title: "mfaReset.lost.success.title", reach: requestLink },
  {
    name: "factor lost, no link",
    ...refused,
    title: "mfaReset.lost.refused.title",
    reach: opens("/mfa/lost?status=refused&login_challenge=none"),
  },
  {
    name: "factor lost, no more links",
    ...refused,
    title: "mfaReset.lost.tooMany.title",
    reach: opens("/mfa/lost?status=too-many&login_challenge=none"),
  },
  {
    name: "factor lost, mail failed",
    ...refused,
    title: "mfaReset.status.technical.title",
    reach: opens("/mfa/lost?status=error"),
  },
];
