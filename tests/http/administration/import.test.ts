import { describe, expect, test } from "vitest";
import { addExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { pathOf } from "../settings/steps.ts";
import { signInWithRole } from "./sign-in-with-role.ts";

const server = await serverOfFile();
const { context } = server;
const { browser: admin, user: administrator } = await signInWithRole(server);

const PATH = "/manage/admin/people/import";
const HEAD = "username;display_name;email;groups";

/** Uploads a file by the form of the page. `token` replaces its anti-forgery token. */
async function upload(browser: Browser, content: string | Uint8Array<ArrayBuffer>, token?: string) {
  const page = (await browser.get(PATH)).page();
  const xsrf = token ?? page.form(PATH).fields.find(([name]) => name === "_xsrf")?.[1] ?? "";
  return sendParts(browser, { _xsrf: xsrf, file: new File([content], "staff.csv") });
}

async function sendParts(browser: Browser, parts: Readonly<Record<string, string | File>>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.set(name, value);
  const request = new Request(server.url, { method: "POST", body: form });
  const body = new Uint8Array(await request.arrayBuffer());
  const headers = { "content-type": request.headers.get("content-type") ?? "", origin: server.url };
  return browser.send("POST", PATH, body, { headers });
}

/** Uploads a table, and returns the page with its check. */
async function check(browser: Browser, ...lines: string[]): Promise<HttpResponse> {
  const sent = await upload(browser, lines.join("\r\n"));
  expect(sent.status).toBe(303);
  return browser.get(sent.location ?? "");
}

function confirm(browser: Browser, page: HttpResponse) {
  return browser.submit(page, page.page().form(new URL(page.url).pathname));
}

describe("the import of a table", () => {
  test("shows what each row does, skips those with errors, and invites in the administrator's name", async () => {
    const team = await server.groups.create({ name: "Claims" });
    await server.users.create({ username: "old.name", displayName: "Old Name" });
    const page = await check(
      admin,
      `\ufeff${HEAD}`,
      "new.one;New One;new.one@example.com;Claims",
      "old.name;Newer Name;;",
      "bad.one;Bad One;no-address;Clams",
      "new.one;Twice;twice@example.com;",
      `${administrator.username};Myself;;`,
    );
    const { text } = page.page();
    expect(text).toContain("staff.csv, 5 rows. Nothing has changed yet.");
    expect(text).toContain("3 rows have errors");
    expect(text).toContain("email is invalid");
    expect(text).toContain("Is already in line 2");
    expect(text).toContain("This is your own account");
    expect(text).toContain("Is invited");
    expect(text).toContain("New data: display_name");
    const done = await admin.follow(await confirm(admin, page));
    expect(done.page().one("div", { "data-code": "imported" }).text).toContain("New: 1, changed: 1.");
    const added = await findUserByUsername(context.store, "new.one");
    expect(added).toMatchObject({ passwordHash: null, status: "active" });
    expect(await findUserByUsername(context.store, "bad.one")).toBeNull();
    expect((await server.mails()).some(({ to }) => to.includes("new.one@example.com"))).toBe(true);
    const { auditEvents } = context.store.t;
    const events = (await context.store.q.select().from(auditEvents)).filter(({ userId }) => userId === added?.id);
    expect(events.map(({ type, actorId }) => [type, actorId])).toEqual([
      ["user.added", administrator.id],
      ["user.invited", administrator.id],
    ]);
    expect(team.name).toBe("Claims");
  });

  // Proves requirement 215.
  test("imports a checked file once, in its administrator's browser only, and only as it was shown", async () => {
    const { browser } = await signInWithRole(server);
    const { browser: other } = await signInWithRole(server);
    await server.groups.create({ name: "Audit" });
    const page = await check(browser, HEAD, "once.only;Once Only;once@example.com;Audit");
    const { pathname } = new URL(page.url);
    expect(pathOf(await other.get(pathname))).toBe(`${PATH}?done=gone`);
    expect((await other.follow(await other.get(`${pathname}/errors`))).status).toBe(404);
    await setGroup(context, "Audit", { name: "Revision" });
    const refused = await confirm(browser, page);
    expect(refused.status).toBe(400);
    expect(refused.page().text).toContain("Something has changed meanwhile");
    expect(await findUserByUsername(context.store, "once.only")).toBeNull();
    await setGroup(context, "Revision", { name: "Audit" });
    const again = await browser.get(pathname);
    const results = await Promise.all([confirm(browser, again), confirm(browser, again)]);
    const dones = results.map((result) => new URL(result.location ?? "").searchParams.get("done")).toSorted();
    expect(dones).toEqual(["gone", "imported"]);
    expect(await findUserByUsername(context.store, "once.only")).not.toBeNull();
  });

  test("ends before a proxy gives up, and continues with the same file", async () => {
    const { browser } = await signInWithRole(server);
    const lines = Array.from({ length: 15 }, (_, row) => `slow.${row};Slow ${row};slow.${row}@example.com;`);
    const page = await check(browser, HEAD, ...lines);
    context.store.events.once("mail queued", () => server.clock.advance(45));
    const unfinished = await browser.follow(await confirm(browser, page));
    expect(unfinished.page().one("div", { "data-code": "unfinished" }).text).toContain("New: 10, changed: 0.");
    const rest = await browser.follow(await confirm(browser, await check(browser, HEAD, ...lines)));
    expect(rest.page().one("div", { "data-code": "imported" }).text).toContain("New: 5, changed: 0.");
  });

  test("of the same file by two administrators at once adds each person once", async () => {
    const { browser: one } = await signInWithRole(server);
    const { browser: two } = await signInWithRole(server);
    const lines = [HEAD, "same.person;Same Person;same@example.com;"];
    const pages = [await check(one, ...lines), await check(two, ...lines)] as const;
    const results = await Promise.all([confirm(one, pages[0]), confirm(two, pages[1])]);
    const imported = results.filter(({ location }) => location?.includes("done=imported"));
    expect(imported).toHaveLength(1);
    expect((await server.mails()).filter(({ to }) => to.includes("same@example.com"))).toHaveLength(1);
  });

  test.each(["de", "en"])(
    "takes the list of people that was downloaded and edited, in the language %s",
    async (language) => {
      const team = await server.groups.create();
      const headers = { "accept-language": language };
      const { browser } = await signInWithRole(server);
      const kept = await server.users.create({ username: `kept.${language}`, groupName: team.name });
      const changed = await server.users.create({ username: `edited.${language}`, groupName: team.name });
      const row = `invited.${language};Invited;invited.${language}@example.com;`;
      await browser.follow(await confirm(browser, await check(browser, HEAD, row)));
      const file = await browser.get("/manage/admin/people/export", { headers });
      expect(file.body.split(/\r?\n/)[0]).toContain(
        language === "de" ? "username;display_name" : "username,display_name",
      );
      const names = [kept, changed].map(({ username }) => username).join("|");
      const lines = file.body
        .split(/\r?\n/)
        .filter((line) => RegExp(`username|${names}|invited.${language}`).test(line));
      expect(lines).toHaveLength(4);
      const page = await check(browser, ...lines.map((line) => line.replace(changed.displayName, "Edited Person")));
      expect(page.page().text).toContain("Change 1");
      expect(page.page().text).not.toContain("have errors");
    },
  );

  test("names what a user name may contain when one is invalid", async () => {
    const page = await check(admin, HEAD, "hans müller;Hans Müller;hans@example.com;");
    expect(page.page().text).toContain("at most 64 letters of one script, digits, dots, hyphens or underscores");
  });

  test("names rows that the database would refuse, and imports the others", async () => {
    await server.users.create({ username: "taken@example.com", displayName: "Taken" });
    await server.users.create({ username: "not.verifiable", email: "taken@example.com" });
    await server.users.create({ username: "no.address", displayName: "No Address", email: null });
    const north = await server.groups.create({ name: "North" });
    const south = await server.groups.create({ name: "South" });
    const stays = await server.users.create({ username: "stays", groupName: "North" });
    const moves = await server.users.create({ username: "moves", groupName: "South" });
    const identity = { provider: "google", issuer: "https://accounts.google.com", subject: "1", name: null } as const;
    for (const [userId, groupKey] of [
      [stays.id, north.id],
      [moves.id, south.id],
    ] as const) {
      const account = { id: userId, userId, groupKey, linkedAt: server.clock.now(), ...identity };
      expect(await addExternalAccount(context.store, account)).toBe(true);
    }
    const page = await check(
      admin,
      "username;display_name;email;email_verified;group",
      "not.verifiable;Not Verifiable;;yes;",
      "no.address;No Address;;yes;",
      "moves;Moves;;;North",
      "after.all;After All;after@example.com;;",
    );
    const { text } = page.page();
    expect(text).toContain("2 rows have errors");
    expect(text).toContain("email is the user name of another person");
    expect(text).toContain("group: another person of this group is linked to the same");
    expect(text).toContain("1 row changes nothing");
    const done = await admin.follow(await confirm(admin, page));
    expect(done.page().one("div", { "data-code": "imported" }).text).toContain("New: 1, changed: 0.");
    expect(await findUserByUsername(context.store, "after.all")).not.toBeNull();
  });

  test("gives the rows with errors back as a table without formulas, which can be uploaded again", async () => {
    const page = await check(admin, `${HEAD};phone`, "f.ormula;=1+1;wrong;;+49 40 123", "w.ide;＝1+1;wrong;;");
    const file = await admin.get(`${new URL(page.url).pathname}/errors`);
    expect(file.headers["content-disposition"]).toContain("attachment");
    expect(file.body).toContain("f.ormula,'=1+1,wrong,,'+49 40 123,email is invalid");
    // Full-width signs are evaluated, too.
    expect(file.body).toContain("w.ide,'＝1+1,wrong");
    const german = await admin.get(`${new URL(page.url).pathname}/errors`, { headers: { "accept-language": "de" } });
    expect(german.body).toContain("f.ormula;'=1+1;wrong;;'+49 40 123;email ist ungültig");
    const fixed = await upload(admin, file.body.replaceAll(",wrong,", ",right@example.com,"));
    expect(fixed.status).toBe(303);
    const again = await admin.get(fixed.location ?? "");
    expect(again.page().text).toContain("Invite 2");
    expect(again.page().text).toContain("=1+1");
    expect(again.page().text).toMatch(/(?<!')＝1\+1/);
  });
});

describe("an upload", () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ["in Latin-1", Uint8Array.from(Buffer.from(`${HEAD}\nm;Müller;;`, "latin1")), "not stored in UTF"],
    ["that is a workbook", "PK\u0003\u0004", "This is a workbook"],
    ["with a NUL", `${HEAD}\nm;a\0b;;`, "This is no CSV file"],
    ["without required columns", "Name,Mail\nAnna,a@example.com", "Columns are missing in the first line: username"],
    ["with passwords", `${HEAD};password_hash\nm;M;;;x`, "password_hash is not accepted"],
    ["that is empty", "", "not empty"],
    ["without people", HEAD, "no rows with people"],
    ["with too many rows", `${HEAD}\n${"a;A;;\n".repeat(5001)}`, "at most 5,000"],
    ["with an open quote", `${HEAD}\n"m;M;;`, "A quotation mark that starts in line 2"],
    ["with more than 2 MB", "x".repeat(2 * 1024 * 1024 + 1), "larger than 2 MB"],
  ])("%s is refused with a text that helps", async (_what, content, sentence) => {
    const answer = await upload(admin, content);
    expect(answer.status).toBe(400);
    expect(answer.page().one("p", { id: "file-error" }).text).toContain(sentence);
  });

  test("is refused for a foreign form, other fields, another type, and much larger bodies", async () => {
    const file = new File([HEAD], "staff.csv");
    expect((await upload(admin, HEAD, "foreign")).status).toBe(403);
    expect((await sendParts(admin, { _xsrf: "x", file, office: "1" })).status).toBe(400);
    expect((await sendParts(admin, { _xsrf: "x" })).status).toBe(400);
    expect((await sendParts(admin, { _xsrf: "x", file: "text" })).status).toBe(400);
    expect((await admin.post(PATH, { _xsrf: "x", file: "text" })).status).toBe(415);
    const large = new File(["x".repeat(3 * 1024 * 1024)], "staff.csv");
    expect((await sendParts(admin, { _xsrf: "x", file: large })).status).toBe(413);
  });

  test("is unknown to a help desk", async () => {
    const { browser } = await signInWithRole(server, { role: "help-desk" });
    expect((await browser.get(PATH)).status).toBe(404);
    expect((await sendParts(browser, { _xsrf: "x", file: new File([HEAD], "a.csv") })).status).toBe(404);
  });
});
