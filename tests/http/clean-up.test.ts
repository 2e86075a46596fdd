import { getTableColumns, getTableName, isNotNull } from "drizzle-orm";
import { expect, test } from "vitest";
import { addHelpLink } from "#app/db/repositories/help-links.server.ts";
import type { Tables } from "#app/db/schema.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { createCleanUp } from "#app/jobs/clean-up.server.ts";
import { mailsTo, requestLink } from "#tests/http/password-reset/steps.ts";
import { openStep, readStep } from "#tests/http/second-factor/steps.ts";
import { openPageChain } from "#tests/http/settings/api.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, TEST_PASSWORD } from "#tests/support/server.ts";
import { openForm } from "./login/open-form.ts";
import { followRedirects, open, typePassword } from "./oidc/browser-steps.ts";
import { codeOf } from "./oidc/responses.ts";

/** Factor by which the rows of four sign-ins are multiplied, to get those of 10,000. */
const TIMES = 10_000 / 4;
/** Longer than all retention periods: 400 days for browsers, 365 for the audit trail. */
const LATER_SECONDS = 460 * 24 * 60 * 60;

/** Rows that the clean-up deletes: the columns that a copy must change. Other rows: the reason why they stay. */
const FATES: Record<keyof Tables, readonly string[] | string> = {
  groups: "an administrator's",
  users: "an administrator's",
  userRoles: "an administrator's, at most one for a person",
  reservedUsernames: "one for a removed person: nobody else gets the name",
  helpLinks: ["id", "token_hash"],
  groupMembers: "an administrator's",
  externalAccounts: "at most one of each provider for a person, until the person disconnects it",
  totpCredentials: "one for a person, until the person removes it",
  webauthnCredentials: "at most ten for a person, until the person removes them",
  recoveryCodes: "ten for a person; new ones take the place of the old",
  clients: "an administrator's",
  clientGroups: "an administrator's",
  clientLogos: "at most one for an application",
  signingKeys: "two of each algorithm, and retired ones for 30 days",
  oidcRecords: ["id"],
  consents: "at most one for a person and an application, until it is withdrawn",
  knownBrowsers: ["browser_hash"],
  rememberedDevices: ["id", "browser_hash"],
  oneTimeTokens: ["token_hash", "slot"],
  manageSessions: ["token_hash"],
  manageChains: ["id", "page_session_hash"],
  auditEvents: ["hash"],
  rateLimits: ["key"],
  mailOutbox: ["id"],
  backchannelLogouts: ["id"],
  instance: "one row",
};

const server = await serverOfFile({ env: { MFA_REMEMBER_DAYS: "30" } });
// This test does not need durability.
if (server.context.store.dialect === "sqlite") await server.context.store.execute("PRAGMA synchronous = OFF");
const anna = await server.users.create();
const party = await server.parties.create({
  firstParty: true,
  scopes: ["openid", "offline"],
  backchannelLogoutUri: "http://localhost:9/back-channel",
});
const settingsClient = await createSettingsClient(server);

const cleaned = () => {
  const tables = new Map(Object.entries(server.context.store.t));
  return Object.entries(FATES).flatMap(([name, own]) => {
    const table = tables.get(name);
    return table && typeof own !== "string" ? [{ name, own, table }] : [];
  });
};

async function countRows() {
  const { q } = server.context.store;
  const counts: Record<string, number> = {};
  for (const { name, table } of cleaned()) counts[name] = await q.$count(table);
  return counts;
}

/** Performs four sign-ins in new browsers, and everything else that leaves rows. */
async function signInAndAbout() {
  const browser = server.browser();
  const wrong = await openForm(browser, party.request().url);
  await wrong.post({ username: anna.username, password: "Wrong-Window-27-Oak" });
  const request = party.request({ scope: "openid offline" });
  const form = await openForm(browser, request.url);
  const end = await followRedirects(browser, await form.post({ username: anna.username, password: TEST_PASSWORD }));
  const { refreshToken } = readTokens(await party.exchange(codeOf(end), request));
  readTokens(await party.refresh(refreshToken));
  const { chain } = await openPageChain(server, settingsClient, anna, browser);
  await chain.get("userinfo");
  await requestLink(server.browser(), anna.username);
  await mailsTo(server, `${anna.username}@office.example`, 1);

  const { store, clock, random } = server.context;
  await addHelpLink(store, {
    ...{ id: random.token(), userId: anna.id, kind: "new-device", generation: 1, createdById: null },
    ...{ tokenHash: hashToken(random.token()), wordsHash: hashToken("words") },
    ...{ createdAt: clock.now(), expiresAt: clock.now() },
  });

  const eva = await server.users.create();
  const app = await giveTotp(server, eva);
  const other = server.browser();
  const step = await openStep(other, party.request().url, eva);
  await readStep(other, step.page).post("/mfa/verify", { code: await app.code(), remember_device: "yes" });
  await typePassword(other, (await openForm(other, party.request({ prompt: "login" }).url)).page, eva);

  const last = server.browser();
  await typePassword(last, (await openForm(last, party.request().url)).page, anna);
  const signOut = await open(last, party.logoutUrl());
  await last.submit(signOut, signOut.page().form("/logout/accept"));
}

/** Copies the existing rows of each table `times` times. */
async function repeatRows(times: number) {
  const numbers = `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${times}) SELECT i FROM n)`;
  for (const { table, own } of cleaned()) {
    const columns = Object.values(getTableColumns(table)).flatMap(({ name }) => (name === "sequence" ? [] : [name]));
    const copied = columns.map((name) => (own.includes(name) ? `"${name}" || '-' || n.i` : `"${name}"`));
    const into = `"${getTableName(table)}" (${columns.map((name) => `"${name}"`).join()})`;
    await server.context.store.execute(
      `INSERT INTO ${into} SELECT ${copied.join()} FROM "${getTableName(table)}", ${numbers} AS n`,
    );
  }
}

// Proves requirement 126.
test("every table is cleaned up, or there is a reason why its rows stay", () => {
  expect(Object.keys(FATES).toSorted()).toEqual(Object.keys(server.context.store.t).toSorted());
});

// Proves requirement 126.
test("after 10,000 sign-ins and their expiry, only live rows remain", async () => {
  await signInAndAbout();
  for (const [name, count] of Object.entries(await countRows())) expect(count, name).toBeGreaterThan(0);
  await repeatRows(TIMES - 1);
  for (const [name, count] of Object.entries(await countRows())) expect(count, name).toBeGreaterThanOrEqual(TIMES);

  const cleanUp = createCleanUp(server.context);
  await cleanUp.run();
  // Rows that have not expired stay.
  const alive = await countRows();
  expect(alive.oidcRecords).toBeGreaterThanOrEqual(TIMES);

  server.clock.advance(LATER_SECONDS);
  // The copies of logouts are given up, each with an event, which expires as well.
  const { q, t, events } = server.context.store;
  events.emit("logouts queued");
  const countWaiting = () => q.$count(t.backchannelLogouts, isNotNull(t.backchannelLogouts.nextAttemptAt));
  await expect.poll(countWaiting, { timeout: 120_000 }).toBe(0);
  server.clock.advance(LATER_SECONDS);
  // Drops the expired copies of unsent mails, which takes longer than `mailsTo` waits.
  await server.mails();
  await signInAndAbout();
  await cleanUp.run();
  const left = await countRows();
  // Left are the latest sign-ins of two users, the last browser of each user, and the remaining audit trail.
  for (const [name, count] of Object.entries(left)) expect(count, name).toBeLessThan(40);
  expect(left.oidcRecords).toBeGreaterThan(0);
  expect((await server.browser().get("/readyz")).status).toBe(200);
}, 300_000);
