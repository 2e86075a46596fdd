import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { updateClient } from "#app/db/repositories/clients.server.ts";
import { addGroupMember, removeGroupMember } from "#app/db/repositories/group-members.server.ts";
import { invalidateSessions } from "#app/db/repositories/users.server.ts";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import type { Page, Part } from "#tests/support/html.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

const server = await serverOfFile({ env: { SUPPORT_CONTACT: "help@office.example" } });
const { context } = server;

const at = eachTest(async () => {
  const user = await server.users.create();
  const team = await server.groups.create();
  await addGroupMember(context.store, { userId: user.id, groupId: team.id });
  return { user, team, browser: server.browser() };
});

/** Registers an application that is open to the team of this test. */
async function addForTeam(input: Partial<NewClientInput>): Promise<string> {
  const { clientId } = await server.clients.create(input);
  await context.store.tx(async (tx) => {
    await updateClient(tx, clientId, { access: "groups" }, context.clock.now());
    await replaceGroupsOfClient(tx, clientId, [at.team.id]);
  });
  return clientId;
}

async function openStart(on: Browser = at.browser, path = "/"): Promise<Page> {
  await seedSession(server, on, at.user);
  return (await on.get(path)).page();
}

function flatten(part: Part): Part[] {
  return [part, ...part.parts.flatMap(flatten)];
}

/** Returns name and link of each application of the page, in order; null for one without a link. */
function tilesOf(page: Page): [name: string, href: string | null][] {
  return page
    .all("ul", { class: "tiles" })
    .flatMap(({ parts }) => parts)
    .map((tile) => {
      const parts = flatten(tile);
      const name = parts.find(({ tag }) => tag === "b")?.text ?? "";
      return [name, parts.find(({ tag }) => tag === "a")?.attributes.href ?? null];
    });
}

const namesOf = (page: Page) => tilesOf(page).map(([name]) => name);

describe("the start page", () => {
  // Proves requirement 194.
  test("shows the applications that the person may use, and no others", async () => {
    await addForTeam({ name: "Ledger", clientUri: "https://ledger.example/" });
    const closed = await server.clients.create({ name: "Payroll", clientUri: "https://payroll.example/" });
    await updateClient(context.store, closed.clientId, { access: "groups" }, context.clock.now());
    expect(tilesOf(await openStart())).toEqual([["Ledger", "https://ledger.example/"]]);
    await removeGroupMember(context.store, { userId: at.user.id, groupId: at.team.id });
    expect(namesOf(await openStart())).toEqual([]);
  });

  test("opens an application at its initiate_login_uri, which gets the issuer, else at its home page", async () => {
    await addForTeam({ name: "A", initiateLoginUri: "https://a.example/login?x=1", clientUri: "https://a.example/" });
    await addForTeam({ name: "B", clientUri: "https://b.example/home" });
    const page = await openStart();
    expect(tilesOf(page)).toEqual([
      ["A", `https://a.example/login?${new URLSearchParams({ x: "1", iss: server.url })}`],
      ["B", "https://b.example/home"],
    ]);
    expect(page.one("ul", { class: "tiles" }).text).toContain("b.example");
  });

  test("shows an application without an address, which it cannot open, without a link", async () => {
    await addForTeam({ name: "Scanner" });
    const page = await openStart();
    expect(tilesOf(page)).toEqual([["Scanner", null]]);
    expect(page.text).toContain("Please open it as usual");
  });

  test("shows no resource server, which signs no users in", async () => {
    await addForTeam({ name: "Orders API", mayIntrospect: true, redirectUris: [], clientUri: "https://api.example/" });
    expect(namesOf(await openStart())).toEqual([]);
  });

  test("sorts the applications in the language of the page", async () => {
    for (const name of ["Zeiten", "archiv", "Ärzte", "Bestand 10", "Bestand 9"]) await addForTeam({ name });
    expect(namesOf(await openStart(server.browser("de")))).toEqual([
      "archiv",
      "Ärzte",
      "Bestand 9",
      "Bestand 10",
      "Zeiten",
    ]);
  });

  test("shows names with markup as text", async () => {
    const name = `<img src=x onerror="alert(1)">`;
    await addForTeam({ name, clientUri: "https://a.example/" });
    const page = await openStart();
    expect(namesOf(page)).toEqual([name]);
    expect(page.all("img")).toEqual([]);
  });

  // Proves requirement 194.
  test("links no address of another scheme, even if the database contains one", async () => {
    const clientId = await addForTeam({ name: "Forged" });
    const uri = "javascript:alert(1)";
    await updateClient(context.store, clientId, { initiateLoginUri: uri, clientUri: uri }, context.clock.now());
    expect(tilesOf(await openStart())).toEqual([["Forged", null]]);
  });

  test("is never cached, and in no frame", async () => {
    await seedSession(server, at.browser, at.user);
    const { headers } = await at.browser.get("/");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  });

  test("links the settings and the activity, and shows the last sign-in", async () => {
    const page = await openStart();
    const account = page.one("section", { "aria-labelledby": "account" });
    const links = flatten(account).filter(({ tag }) => tag === "a");
    expect(links.map(({ attributes }) => attributes.href)).toEqual([
      "/manage/open",
      "/manage/open?to=/manage/activity",
    ]);
    expect(account.text).toContain("Today at 09:00");
  });

  test("is in the language that the person chooses on it, and stays in it", async () => {
    await openStart();
    const german = await openStart(at.browser, "/?lng=de");
    expect([german.lang, german.title]).toEqual(["de", "Startseite | Gatehouse"]);
    const later = await openStart();
    expect(later.lang).toBe("de");
    expect(later.one("a", { hreflang: "en" }).attributes.href).toBe("/?lng=en");
  });

  test("shows the person's picture, and allows pictures of its site alone", async () => {
    await setUser(context, at.user.username, { picture: "https://pictures.example/anna.png" });
    const page = await openStart();
    expect(page.all("img", { src: "https://pictures.example/anna.png" })).toHaveLength(1);
    const policy = String((await at.browser.get("/")).headers["content-security-policy"]);
    expect(policy).toContain("img-src 'self' data: https://pictures.example;");
  });
});

describe("a person who may use no application", () => {
  test("sees the contact of the own group", async () => {
    const { groups } = context.store.t;
    await context.store.q.update(groups).set({ contact: "Helga Brandt, Köln" }).where(eq(groups.id, at.team.id));
    const page = await openStart();
    expect(page.text).toContain("Helga Brandt, Köln");
    expect(page.text).not.toContain("help@office.example");
  });

  test("sees the support contact if no group has one", async () => {
    const page = await openStart();
    expect(page.text).toContain("No application yet");
    const href = "mailto:help@office.example?subject=Access%20to%20applications";
    expect(page.all("a", { href })).toHaveLength(1);
  });
});

describe("the start page is not shown", () => {
  const title = "You are not signed in | Gatehouse";

  test("to a blocked person", async () => {
    await openStart();
    await blockUser(context, at.user.username);
    expect((await at.browser.get("/")).page().title).toBe(title);
  });

  test("to a removed person", async () => {
    await openStart();
    await removeUser(context, at.user.username);
    expect((await at.browser.get("/")).page().title).toBe(title);
  });

  // Proves requirement 194.
  test("with a session from before all sessions were ended", async () => {
    await openStart();
    await invalidateSessions(context.store, at.user.id, context.clock.now());
    expect((await at.browser.get("/")).page().title).toBe(title);
  });

  // Proves requirement 194.
  test("with a session that no longer meets the sign-in policy", async () => {
    const { groups } = context.store.t;
    await openStart();
    await context.store.q.update(groups).set({ requireMfa: true }).where(eq(groups.id, at.team.id));
    expect((await at.browser.get("/")).page().title).toBe(title);
  });
});

test("the sign-out of the start page asks first, and ends the session", async () => {
  await seedSession(server, at.browser, at.user);
  const start = await at.browser.get("/");
  const form = start.page().one("form", { class: "sign-out" }).attributes;
  expect(form.method).toBe("get");
  const question = await followRedirects(at.browser, await at.browser.get(form.action ?? ""));
  expect((await at.browser.get("/")).page().title).toBe("Start page | Gatehouse");
  await followRedirects(at.browser, await at.browser.submit(question, question.page().form("/logout/accept")));
  expect((await at.browser.get("/")).page().title).toBe("You are not signed in | Gatehouse");
});

test("a person who keeps the session at the sign-out gets back to the start page", async () => {
  await seedSession(server, at.browser, at.user);
  const question = await followRedirects(at.browser, await at.browser.get("/oauth2/sessions/logout"));
  const kept = await followRedirects(
    at.browser,
    await at.browser.submit(question, question.page().form("/logout/reject")),
  );
  expect(kept.page().one("a", { href: "/" }).text).toBe("My applications");
});
