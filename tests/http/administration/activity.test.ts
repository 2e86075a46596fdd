import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { findRole, storeOf } from "#app/domain/administration/find.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { createSettingsClient, pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const PATH = "/manage/admin/activity";

const server = await serverOfFile();
const { context } = server;
const settingsClient = await createSettingsClient(server);

/** Returns the context in which a user with a role acts. */
async function actingContext({ id: userId, username }: TestUser) {
  const granted = await findRole(context, userId);
  const user = await findUser(context.store, userId);
  if (!granted || !user) throw new Error("the user has no role");
  const ended = () => {
    throw new Error("the role has ended");
  };
  const administrator = { ...granted, userId, username, generation: user.generation };
  return { ...context, store: storeOf(context.store, administrator, ended) };
}

const xsrfOf = (body: string) => /name="_xsrf" value="([^"]+)"/.exec(body.slice(body.indexOf('id="proof"')))?.[1] ?? "";

/** Expects a page for the person, at this URL or after its redirects. */
async function expectErrorPage(browser: Browser, path: string, status: number) {
  const response = await browser.follow(await browser.get(path));
  expect([response.status, response.headers["content-type"]], path).toEqual([status, "text/html; charset=utf-8"]);
}

describe("the activity of the administration", () => {
  // Proves requirement 216.
  test("is a page for administrators alone, as is its file", async () => {
    const stranger = server.browser();
    await settingsClient.openSettings(stranger, await server.users.create());
    const office = await server.groups.create();
    const browsers = [
      stranger,
      (await signInWithRole(server, { role: "help-desk" })).browser,
      (await signInWithRole(server, { role: "help-desk", office })).browser,
    ];
    for (const browser of browsers) {
      for (const path of [PATH, `${PATH}/export`]) await expectErrorPage(browser, path, 404);
      expect((await browser.post(PATH, { _xsrf: "" })).status).toBe(404);
    }
    const { browser } = await signInWithRole(server);
    expect((await browser.get(PATH)).status).toBe(200);
    expect((await browser.get(`${PATH}/export`)).status).toBe(200);
    server.clock.advance(8 * 60 * 60 + 1);
    for (const path of [PATH, `${PATH}/export`]) expect((await browser.get(path)).status, path).toBe(303);
  });

  test("names the person, who did it, and removed persons by the name that they had", async () => {
    const { browser, user: helga } = await signInWithRole(server);
    const anna = await server.users.create({ displayName: "Anna Möller" });
    const deps = await actingContext(helga);
    await blockUser(deps, anna.username);
    const blocked = await browser.get(`${PATH}?${new URLSearchParams({ person: "Möller, Anna" })}`);
    expect(blocked.body).toContain("Access blocked");
    expect(blocked.body).toContain("Anna Möller");
    expect(blocked.body).toContain(`by ${helga.displayName}`);
    await removeUser(context, anna.username);
    const removed = await browser.get(`${PATH}?person=${anna.username}`);
    expect(removed.body).toContain("Person removed");
    expect(removed.body).toContain(`${anna.username}, removed`);
    expect((await browser.get(`${PATH}?person=moller`)).body).toContain("There is no person of this name: moller");
  });

  test("is limited by actor, application, kind and day, and the pages keep the filter", async () => {
    const { browser, user: helga } = await signInWithRole(server);
    const deps = await actingContext(helga);
    const { username, id } = await server.users.create();
    await blockUser(context, username);
    await unblockUser(deps, username);
    const { body } = await browser.get(`${PATH}?actor=${helga.username}`);
    expect(body).toContain("Access unblocked");
    expect(body).not.toContain(">Signed in<");
    const { clientId } = await server.clients.create();
    for (let count = 0; count < 51; count += 1) {
      await recordEvent(context, { type: "consent.granted", outcome: "ok", userId: id, clientId });
    }
    const first = await browser.get(`${PATH}?app=${clientId}&kind=changes`);
    expect(first.body.match(/Application allowed/g)).toHaveLength(50);
    const older = /href="([^"]*before=[^"]*)"/.exec(first.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(older).toContain(`app=${clientId}`);
    const second = await browser.get(older);
    expect(second.body.match(/Application allowed/g)).toHaveLength(1);
    expect(second.body).toContain("Newest entries");
    expect((await browser.get(`${PATH}?app=${clientId}&kind=sign-ins`)).body).toContain("No entry matches");
    const today = context.clock.now().toISOString().slice(0, 10);
    expect((await browser.get(`${PATH}?app=${clientId}&to=${today}`)).body).toContain("Application allowed");
    expect((await browser.get(`${PATH}?app=${clientId}&to=2020-01-01`)).body).toContain("No entry matches");
    expect((await browser.get(`${PATH}?app=${clientId}&kind=x&before=y&from=z`)).status).toBe(200);
    // The year of a date field is often typed with two digits.
    const early = await browser.get(`${PATH}?app=${clientId}&from=0026-11-28&to=0026-11-28`);
    expect([early.status, early.body.includes("0026-11-28")]).toEqual([200, false]);
  });

  // Proves requirement 217.
  test("verifies the chain by a form of its own, names who asked, and warns of a change", async () => {
    const { browser, user } = await signInWithRole(server);
    const page = await browser.get(PATH);
    expect(page.body).toContain("has not been checked yet");
    expect((await browser.post(PATH, { _xsrf: "x" })).status).toBe(403);
    expect((await browser.post(PATH, { _xsrf: xsrfOf(page.body), role: "administrator" })).status).toBe(400);
    const sent = await browser.post(PATH, { _xsrf: xsrfOf(page.body) });
    expect([sent.status, pathOf(sent)]).toEqual([303, `${PATH}?done=checked`]);
    const checked = await browser.get(`${PATH}?done=checked`);
    expect(checked.body).toContain("The chain is complete.");
    expect(checked.body).toContain("The chain was checked.");
    expect(checked.body).toContain(`by ${user.displayName}`);
    const { q, t } = context.store;
    await q.update(t.auditEvents).set({ actorId: "other" });
    server.clock.advance(61);
    await browser.post(PATH, { _xsrf: xsrfOf(page.body) });
    expect((await browser.get(PATH)).body).toContain("The chain is broken.");
  });

  // Proves requirement 218.
  test("is sent as CSV and as lines of JSON, filtered, without formulas, and the download is recorded", async () => {
    const { browser, user: helga } = await signInWithRole(server);
    const deps = await actingContext(helga);
    await recordEvent(deps, { type: "group.added", outcome: "ok", reason: "=1+1" });
    const csv = await browser.get(`${PATH}/export?format=csv&actor=${helga.username}`);
    expect(csv.headers["content-disposition"]).toMatch(/^attachment; filename="gatehouse-activity-[\d-]+\.csv"$/);
    const rows = parse<Record<string, string>>(csv.body, { bom: true, columns: true });
    expect(rows).toMatchObject([
      { type: "audit.exported", actor: helga.username, actor_id: helga.id, reason: "csv" },
      { type: "group.added", reason: "'=1+1" },
    ]);
    const json = await browser.get(`${PATH}/export?format=json&actor=${helga.username}`);
    expect(json.headers["content-disposition"]).toMatch(/^attachment; filename="gatehouse-activity-[\d-]+\.jsonl"$/);
    for (const { headers } of [csv, json]) {
      expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
    }
    const events = json.body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const german = await browser.get(`${PATH}/export`, { headers: { "accept-language": "de" } });
    expect(parse(german.body, { bom: true, columns: true, delimiter: ";" })).toContainEqual(
      expect.objectContaining({ type: "group.added", actor: helga.username }),
    );
    expect(events.map(({ type, actor_id }) => [type, actor_id])).toEqual([
      ["audit.exported", helga.id],
      ["audit.exported", helga.id],
      ["group.added", helga.id],
    ]);
    await expectErrorPage(browser, `${PATH}/export?format=xml`, 400);
    expect((await browser.get(`${PATH}/export?person=nobody-at-all`)).body.trim().split("\n")).toHaveLength(1);
  });
});
