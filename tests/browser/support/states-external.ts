import { eq } from "drizzle-orm";
import type { Provider } from "#app/config/providers.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { addProviderUser, connect } from "#tests/http/external/providers.ts";
import type { TestUser } from "#tests/support/server.ts";
import type { ExternalVisit } from "./external-setup.ts";
import { forgeToken } from "./forge.ts";
import { type PageState, page, problem } from "./page-state.ts";
import { alertOf, loginPage, seesHeading } from "./pages.ts";
import { externalSettingsStates } from "./states-external-settings.ts";
import { rememberStates } from "./states-second-factor.ts";

/** An empty subject cancels on the provider's page. */
const NOBODY = { sub: "" };

/** Presses the provider's button on the sign-in page and chooses a user there. */
async function signInWith(
  { anna, clientApp }: ExternalVisit,
  provider: Provider,
  { sub }: Pick<FakeProviderUser, "sub">,
): Promise<void> {
  await anna.page.goto(`${clientApp.url}/sign-in`);
  await anna.page.locator(`a[href^="/login/${provider}?"]`).click();
  await anna.page.locator(`button[value="${sub}"]`).click();
}

async function fails(
  visit: ExternalVisit,
  provider: Provider,
  providerUser: Pick<FakeProviderUser, "sub">,
): Promise<void> {
  await signInWith(visit, provider, providerUser);
  await alertOf(visit.anna.page).waitFor();
}

/** Long names, also without spaces; one account has no group. */
const ACCOUNTS = [
  ["Eva Brandt", null],
  [
    "Dr. Eva-Maria Freifrau von Brandt-Hohenzollern",
    "Vertriebsgemeinschaft für Bestandsübertragungen in Nordrhein-Westfalen",
  ],
  ["Haftpflichtversicherungsmaklerin", "Versicherungsvermittlungsgesellschaftsverbund"],
  ["Eva Brandt (blocked)", "Süd"],
] as const;

let times = 0;

/** Links Eva's Google account to several accounts; the last one is blocked. */
async function hasSeveral(
  { installation, upstream }: ExternalVisit,
  details: { lastUsedAt?: Date } = {},
): Promise<{ eva: FakeProviderUser; users: TestUser[] }> {
  const { server } = installation;
  const eva = addProviderUser(upstream.google);
  times += 1;
  const users: TestUser[] = [];
  for (const [displayName, group] of ACCOUNTS) {
    const groupName = group === null ? null : `${group} ${times}`;
    if (groupName !== null) await server.groups.create({ name: groupName });
    const user = await server.users.create({ displayName, groupName });
    await connect(server, upstream.google, eva, user.id, users.length === 1 ? details : {});
    users.push(user);
  }
  await blockUser(server.context, users.at(-1)?.username ?? "");
  return { eva, users };
}

/** Brings Eva to the account selection. */
async function openSelection(visit: ExternalVisit, details: { lastUsedAt?: Date } = {}): Promise<TestUser[]> {
  const { eva, users } = await hasSeveral(visit, details);
  await signInWith(visit, "google", eva);
  await seesHeading(visit.anna, visit.anna.t("selectAccount.heading"));
  return users;
}

/** Chooses the first account and waits for the refusal. */
async function isRefused({ anna }: ExternalVisit): Promise<void> {
  await anna.page.locator("button.choice").first().click();
  await alertOf(anna.page).waitFor();
}

const selectAccount = "selectAccount.title";

/** Page states that require providers or look different with them, and those of a server that remembers devices. */
export const EXTERNAL_STATES: readonly PageState<ExternalVisit>[] = [
  page("sign-in, three providers", "login.title", async ({ anna, clientApp }) => {
    await anna.page.goto(`${clientApp.url}/sign-in`);
    await loginPage(anna).submit.waitFor();
  }),
  page("select account", selectAccount, async (visit) => {
    await openSelection(visit, { lastUsedAt: new Date() });
  }),
  problem("select account, none chosen", 400, selectAccount, async (visit) => {
    await openSelection(visit);
    await visit.anna.page
      .locator("button.choice")
      .first()
      .evaluate((button) => button.setAttribute("value", ""));
    await isRefused(visit);
  }),
  problem("select account, user blocked in the meantime", 401, selectAccount, async (visit) => {
    const [eva] = await openSelection(visit);
    await blockUser(visit.installation.server.context, eva?.username ?? "");
    await visit.anna.page.locator(`#account-${eva?.id}`).click();
    await alertOf(visit.anna.page).waitFor();
  }),
  problem("select account, form expired", 403, selectAccount, async (visit) => {
    await openSelection(visit);
    await forgeToken(visit.anna.page);
    await isRefused(visit);
  }),
  problem("external account, unknown", 401, "login.title", (visit) =>
    fails(visit, "apple", addProviderUser(visit.upstream.apple)),
  ),
  problem("external account, blocked user", 401, "login.title", async (visit) => {
    const { installation, upstream, user } = visit;
    const eva = addProviderUser(upstream.google);
    await connect(installation.server, upstream.google, eva, user.id);
    await blockUser(installation.server.context, user.username);
    await fails(visit, "google", eva);
  }),
  problem("external account, provider down", 400, "loginResult.failure.heading", async (visit) => {
    const { google } = visit.upstream;
    google.setFaults({ token: { status: 503, body: {} } });
    try {
      await fails(visit, "google", addProviderUser(google));
    } finally {
      google.clearFaults();
    }
  }),
  page("external account, cancelled at the provider", "login.title", async (visit) => {
    addProviderUser(visit.upstream.microsoft);
    await signInWith(visit, "microsoft", NOBODY);
    await visit.anna.page.getByRole("status").waitFor();
  }),
  problem(
    "external account, response without a request",
    400,
    "loginResult.failure.heading",
    async ({ anna, installation }) => {
      await anna.page.goto(`${installation.server.url}/login/google/callback?state=unknown&code=unknown`);
      await alertOf(anna.page).waitFor();
    },
  ),
  page("external account, sign-in there not recent, no password here", "login.title", async (visit) => {
    const { anna, installation, own, upstream, user } = visit;
    const { q, t } = installation.server.context.store;
    const eva = addProviderUser(upstream.google);
    await connect(installation.server, upstream.google, eva, user.id);
    await q.update(t.users).set({ passwordHash: null, passwordSetAt: null }).where(eq(t.users.id, user.id));
    upstream.google.setFaults({ claims: ({ auth_time: _auth_time, ...claims }) => claims });
    await anna.page.goto(`${own.url}/sign-in?prompt=login`);
    await anna.page.locator('a[href^="/login/google?"]').click();
    await anna.page.locator(`button[value="${eva.sub}"]`).click();
    await anna.page.locator('[data-code="proof-not-recent"]').waitFor();
    upstream.google.clearFaults();
  }),
  page("external account, password set by mail", "passwordNotice.title", async (visit) => {
    const { anna, installation, upstream, user } = visit;
    const { store, clock } = installation.server.context;
    const eva = addProviderUser(upstream.google);
    await connect(installation.server, upstream.google, eva, user.id);
    await store.q
      .update(store.t.users)
      .set({ passwordSetAt: clock.now(), passwordSetHow: "link", passwordResetUnseen: true })
      .where(eq(store.t.users.id, user.id));
    await signInWith(visit, "google", eva);
    await seesHeading(anna, anna.t("passwordNotice.heading"));
  }),
  ...externalSettingsStates,
  ...rememberStates,
];
