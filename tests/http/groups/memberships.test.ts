import { decodeJwt } from "jose";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { applyImport } from "#app/domain/user/import/apply.server.ts";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { open, seedTokens, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

const server = await serverOfFile();
const { context } = server;
const receiver = await startLogoutReceiver();
const everyones = await server.parties.create({ firstParty: true, scopes: ["openid", "id", "offline"] });

afterAll(() => receiver.close());

let team: { id: string; name: string };
let party: RelyingParty;
let anna: TestUser;

beforeEach(async () => {
  receiver.clear();
  team = await server.groups.create({ contact: "Please ask Eva." });
  const backchannelLogoutUri = receiver.uri;
  party = await server.parties.create({ firstParty: true, scopes: ["openid", "offline"], backchannelLogoutUri });
  await context.store.tx(async (tx) => {
    await updateClient(tx, party.clientId, { access: "groups" }, context.clock.now());
    await replaceGroupsOfClient(tx, party.clientId, [team.id]);
  });
  anna = await server.users.create({ furtherGroups: [team.name] });
});

/** Imports one row as an update of Anna. */
async function importAnna(fields: object): Promise<void> {
  const { username, displayName: display_name } = anna;
  const row = { line: 1, fields: { username, display_name, ...fields } };
  const { rows, problems } = await planImport(context, [row], { onConflict: "update" });
  expect(problems).toEqual([]);
  expect(await applyImport(context, rows)).toMatchObject({ updated: 1 });
}

const ENDS: [string, () => Promise<unknown>][] = [
  ["the membership", () => setUser(context, anna.username, { removeGroups: [team.name] })],
  ["the membership, by an import", () => importAnna({ groups: [] })],
  ["the group", () => removeGroup(context, team.name, { endMemberships: true })],
];

describe.each(ENDS)("the end of %s", (_what, end) => {
  test("ends the application's tokens and logs the user out there, and nowhere else", async () => {
    const browser = server.browser();
    const scope = { scope: "openid offline" };
    const tokens = await seedTokens(server, browser, party, party.request(scope), anna);
    const kept = await seedTokens(server, browser, everyones, everyones.request(scope), anna);
    await end();
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expect((await party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
    expect(await receiver.receive(1, anna.id)).toMatchObject([{ sid: decodeJwt(tokens.idToken)["sid"] }]);
    expect((await everyones.userinfo(kept.accessToken)).status).toBe(200);
    expect(await findSignedInUser(everyones, browser)).toBe(anna.id);
  });

  test("during a sign-in is the end of that sign-in at the application", async () => {
    const browser = server.browser();
    const form = await open(browser, party.request().url);
    await end();
    const page = await typePassword(browser, form, anna);
    expect(page.status).toBe(403);
    expect(page.page().one("main").text).toContain("You do not have access");
  });
});

test("a user who leaves the home group loses its applications, and gets in again as a further member", async () => {
  await setUser(context, anna.username, { groupName: team.name });
  const browser = server.browser();
  const tokens = await seedTokens(server, browser, party, party.request(), anna);
  await setUser(context, anna.username, { groupName: null });
  expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
  await setUser(context, anna.username, { addGroups: [team.name] });
  expect(codeOf(await open(browser, party.request().url))).not.toBe("");
});

test("a user without access sees the contact of the own group", async () => {
  const other = await server.groups.create({ contact: "Bitte fragen Sie Eva." });
  const outsider = await server.users.create({ furtherGroups: [other.name] });
  const browser = server.browser();
  const page = await typePassword(browser, await open(browser, party.request().url), outsider);
  expect(page.page().one("main").text).toContain("Bitte fragen Sie Eva.");
});

test("a renamed group keeps its members and applications, and claims have the new name", async () => {
  await setUser(context, anna.username, { groupName: team.name });
  const browser = server.browser();
  const scope = { scope: "openid id offline" };
  const tokens = await seedTokens(server, browser, everyones, everyones.request(scope), anna);
  const own = await seedTokens(server, browser, party, party.request(), anna);
  const name = `${team.name}, renamed`;
  await setGroup(context, team.name, { name });
  expect((await everyones.userinfo(tokens.accessToken)).json()).toMatchObject({ group: name });
  expect((await party.userinfo(own.accessToken)).status).toBe(200);
});
