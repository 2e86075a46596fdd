import { putRememberedDevice } from "#app/db/repositories/remembered-devices.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { EVENTS_PER_PAGE } from "#app/domain/audit-trail/activity.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { submitForged } from "./forge.ts";
import { openSignedIn, type Visit } from "./page-setup.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { consentPage } from "./pages.ts";
import { seedSession } from "./session.ts";
import { openSettings } from "./settings.ts";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1";

/** Signs Anna in with a second browser. */
async function isElsewhere(visit: Visit): Promise<void> {
  const other = await visit.installation.open();
  await openSignedIn({ ...visit, anna: other });
  await other.close();
}

/** Stores two remembered devices of Anna: an iPhone, and a browser whose name is unknown. */
async function hasDevices({ installation, user }: Visit): Promise<void> {
  const { store, random } = installation.server.context;
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + 30 * 24 * 60 * 60 * 1000);
  for (const userAgent of [IPHONE, ""]) {
    const hashes = { browserHash: hashToken(random.token()), tokenHash: hashToken(random.token()) };
    const device = { id: newId(random), userId: user.id, generation: 1, userAgent, createdAt, expiresAt, ...hashes };
    await putRememberedDevice(store, device);
  }
}

export const settingsListStates: readonly PageState[] = [
  page("sessions, in two browsers, with remembered devices", "manageSessions.title", async (visit) => {
    await isElsewhere(visit);
    await hasDevices(visit);
    await openSettings(visit.installation, visit.anna, visit.user, "/manage/sessions");
    const { page, t } = visit.anna;
    await page.getByRole("heading", { level: 2, name: t("manageDevices.heading") }).waitFor();
  }),
  page("sessions, this one only", "manageSessions.title", ({ anna, installation, user }) =>
    openSettings(installation, anna, user, "/manage/sessions"),
  ),
  problem("sessions, form expired", 403, "manageSessions.title", async (visit) => {
    const { anna, installation, user } = visit;
    await isElsewhere(visit);
    await openSettings(installation, anna, user, "/manage/sessions");
    await submitForged(anna.page.getByRole("button", { name: anna.t("manageSessions.endAll") }));
  }),
  page("applications, one allowed", "manageApplications.title", async ({ anna, clientApp, installation, user }) => {
    await seedSession(installation, anna, user);
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${clientApp.url}/`);
    await openSettings(installation, anna, user, "/manage/applications");
  }),
  page("applications, none", "manageApplications.title", ({ anna, installation, user }) =>
    openSettings(installation, anna, user, "/manage/applications"),
  ),
  page("recent activity", "manageActivity.title", async ({ anna, installation, user }) => {
    const event = { type: "sign-in.succeeded", outcome: "ok", reason: "pwd", browser: "new" } as const;
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    await recordEvent(installation.server.context, { ...event, userId: user.id, address: "192.0.2.7", userAgent });
    await openSettings(installation, anna, user, "/manage/activity");
  }),
  page("recent activity, older sign-ins", "manageActivity.title", async ({ anna, clientApp, installation, user }) => {
    const { context } = installation.server;
    const signIn = { type: "sign-in.succeeded", outcome: "ok", reason: "pwd otp mfa", address: "192.0.2.7" } as const;
    const from = { userId: user.id, clientId: clientApp.clientId, userAgent: IPHONE };
    // Days before yesterday are no texts of the product.
    for (let ago = 2 * EVENTS_PER_PAGE; ago >= 0; ago -= 1) {
      const at = new Date(Date.now() - ago * 60_000);
      await recordEvent({ ...context, clock: { now: () => at } }, { ...signIn, ...from });
    }
    await openSettings(installation, anna, user, "/manage/activity?kind=sign-ins");
    await anna.page.getByRole("link", { name: anna.t("manageActivity.older") }).click();
    await anna.page.getByRole("link", { name: anna.t("manageActivity.newest") }).waitFor();
  }),
  page("recent activity, none of a kind", "manageActivity.title", ({ anna, installation, user }) =>
    openSettings(installation, anna, user, "/manage/activity?kind=ended-sessions"),
  ),
];
