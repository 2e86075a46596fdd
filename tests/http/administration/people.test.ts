import { describe, expect, test } from "vitest";
import { revokeRole } from "#app/domain/role/grant.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const PEOPLE = "/manage/admin/people";

/** Returns the linked names of the list. */
function namesOf(body: string) {
  return [...body.matchAll(/href="\/manage\/admin\/people\/[^"]*" translate="no">([^<]*)</g)].map(([, name]) => name);
}

const kiel = await server.groups.create();
const koeln = await server.groups.create();
const zeynep = await server.users.create({ givenName: "Zeynep", familyName: "Müller_X", groupName: kiel.name });
await server.users.create({ givenName: "Otto", familyName: "MullerAX", groupName: koeln.name });
await blockUser(
  context,
  (await server.users.create({ displayName: "Gesperrt Quint", groupName: koeln.name })).username,
);

describe("the list of people", () => {
  test("finds folded words, every one of them, and takes wildcards literally", async () => {
    const { browser } = await signInWithRole(server);
    const find = async (q: string) => namesOf((await browser.get(`${PEOPLE}?${new URLSearchParams({ q })}`)).body);
    expect(await find("muller")).toEqual(["Müller_X, Zeynep", "MullerAX, Otto"]);
    expect(await find("MÜLLER zeynep")).toEqual(["Müller_X, Zeynep"]);
    expect(await find("Müller_X, Zeynep")).toEqual(["Müller_X, Zeynep"]);
    expect(await find("muller_x")).toEqual(["Müller_X, Zeynep"]);
    expect(await find("%")).toEqual([]);
    expect(await find("muller quint")).toEqual([]);
  });

  test("selects a state and an office, and links to each person", async () => {
    const { browser } = await signInWithRole(server);
    expect(namesOf((await browser.get(`${PEOPLE}?show=blocked`)).body)).toEqual(["Gesperrt Quint"]);
    const inKiel = (await browser.get(`${PEOPLE}?office=${kiel.id}`)).body;
    expect(namesOf(inKiel)).toEqual(["Müller_X, Zeynep"]);
    expect(inKiel).toContain(`${PEOPLE}/${zeynep.id}`);
    expect(namesOf((await browser.get(`${PEOPLE}?show=unknown&office=unknown&page=x`)).body).length).toBeGreaterThan(3);
  });

  // Proves requirement 200.
  test("shows and exports to a help desk of one office nobody of another one", async () => {
    const { browser } = await signInWithRole(server, { role: "help-desk", office: kiel });
    for (const query of ["", "?q=muller", `?office=${koeln.id}`, "?show=blocked", "?q=quint"]) {
      const { body } = await browser.get(`${PEOPLE}${query}`);
      expect(body).not.toMatch(/Otto|Quint</);
      expect((await browser.get(`${PEOPLE}/export${query}`)).body).not.toMatch(/Otto|Quint/);
    }
    expect((await browser.get(`${PEOPLE}/export`)).body).toContain("Zeynep");
    expect((await browser.get(PEOPLE)).body).not.toContain(koeln.name);
  });

  test("is unknown to others, and from the next request on without the role", async () => {
    const stranger = server.browser();
    await (await createSettingsClient(server)).openSettings(stranger, await server.users.create());
    const { browser, user } = await signInWithRole(server, { role: "help-desk" });
    await context.store.tx((store) => revokeRole({ ...context, store }, user));
    for (const path of [PEOPLE, `${PEOPLE}/export`]) {
      expect((await stranger.follow(await stranger.get(path))).status).toBe(404);
      expect((await browser.follow(await browser.get(path))).status).toBe(404);
    }
  });

  test("is exported as CSV with escaped formulas; the trail names who did it", async () => {
    const { browser, user } = await signInWithRole(server);
    await server.users.create({ displayName: "=1+1", groupName: kiel.name });
    const response = await browser.get(`${PEOPLE}/export?office=${kiel.id}`);
    expect(response.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(response.body).toContain("'=1+1");
    expect(response.body).not.toContain("Otto");
    const events = await context.store.q.select().from(context.store.t.auditEvents);
    expect(events.findLast(({ type }) => type === "people.exported")).toMatchObject({ actorId: user.id });
  });
});
