import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import type { Answer, Browser } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { askForLink, mailsTo, obtainLink, openLink, wayOf } from "./steps.ts";

let server: TestServer;
let browser: Browser;
let count = 0;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.close());
beforeEach(() => {
  browser = server.browser();
  // Resets the counters of the address for the next test.
  server.clock.advance(60 * 60 + 1);
});

async function createPerson() {
  count += 1;
  const email = `asking-${count}@office.example`;
  return { ...(await server.users.create({ email })), email };
}

function isOfReset(event: unknown): boolean {
  return String(event).startsWith("password-reset.");
}

/** Returns the visible parts of a response, without values that differ in every response. */
function seen({ status, headers, setCookies, body }: Answer) {
  const { date: _date, "content-security-policy": policy = "", "set-cookie": _cookies, ...rest } = headers;
  const names = setCookies.map((cookie) => cookie.split("=")[0]);
  return { status, rest, names, body, policy: String(policy).replace(/nonce-[\w-]+/g, "nonce") };
}

describe("asking for a link to a new password", () => {
  test("gets the same answer for a known, an unknown, a blocked and a mail-less user, and for no name at all", async () => {
    const known = await createPerson();
    const blocked = await createPerson();
    await blockUser(server.context, blocked.username);
    const silent = await createPerson();
    const { t, q } = server.context.store;
    await q.update(t.users).set({ email: null }).where(eq(t.users.id, silent.id)).returning();
    const names = [known.username, "nobody", blocked.username, silent.username, "not a name!", "x".repeat(5_000)];
    const answers: ReturnType<typeof seen>[] = [];
    for (const name of names) answers.push(seen(await askForLink(server.browser(), name)));
    expect(answers[0]).toMatchObject({ status: 303, body: "" });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    await mailsTo(server, known.email);
    const mails = await server.mails();
    expect(mails.filter(({ to }) => [blocked.email, silent.email].includes(to))).toEqual([]);
  });

  test("leads to a page that says why no mail may come", async () => {
    const { username } = await createPerson();
    const answer = await askForLink(browser, username);
    expect(wayOf(answer)).toBe("/password-reset/request-status?status=success");
    const page = await browser.follow(answer);
    expect([page.status, stateOf(page)]).toEqual([200, { status: "success" }]);
  });

  test("does not begin before the answer is out", async () => {
    const { username, email } = await createPerson();
    let isOut = false;
    const asking = askForLink(browser, username).then((answer) => {
      isOut = true;
      return answer;
    });
    const { t, q } = server.context.store;
    while (!isOut) {
      expect(await q.$count(t.mailOutbox, eq(t.mailOutbox.recipient, email))).toBe(0);
      await new Promise(setImmediate);
    }
    await asking;
    await mailsTo(server, email);
  });

  test("builds the link from the issuer alone, whatever host the request names", async () => {
    const person = await createPerson();
    const page = await browser.get("/password-reset/request-form");
    const poison = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example;proto=https" };
    const fields = { _xsrf: String(stateOf(page).xsrf_token), username: person.username };
    expect((await browser.post("/password-reset/request", fields, { headers: poison })).status).toBe(303);
    const poisoned = await browser.post("/password-reset/request", fields, { headers: { host: "evil.example" } });
    expect(poisoned.status).toBe(421);
    const [mail] = await mailsTo(server, person.email);
    expect(new URL(linkOf(mail ?? { text: "" })).origin).toBe(server.url);
    expect(`${mail?.text}${mail?.html}`).not.toContain("evil.example");
  });

  test("speaks the person's language in the mail, and the reader's on the page", async () => {
    count += 1;
    const email = `asking-${count}@office.example`;
    const { username } = await server.users.create({ email, locale: "de" });
    const page = await browser.get("/password-reset/request-form");
    expect(page.body).toContain('lang="en"');
    await askForLink(browser, username);
    expect((await mailsTo(server, email))[0]?.subject).toContain("Passwort");
  });

  test("a hundred times queues five mails an hour for a person, with the same page each time", async () => {
    const person = await createPerson();
    const browsers = Array.from({ length: 100 }, () => server.browser());
    const answers = await Promise.all(browsers.map((one) => askForLink(one, person.username)));
    expect(new Set(answers.map((answer) => `${answer.status} ${wayOf(answer)}`)).size).toBe(1);
    const heard = () => server.lines().filter(({ userId, event }) => userId === person.id && isOfReset(event));
    await vi.waitFor(() => expect(heard()).toHaveLength(100), { timeout: 20_000 });
    const { t, q } = server.context.store;
    expect(await q.$count(t.mailOutbox, eq(t.mailOutbox.recipient, person.email))).toBe(5);
    server.clock.advance(60 * 60 + 1);
    await obtainLink(server, person);
  });

  test("without a name, or with a stale form, shows the form again with the reason", async () => {
    const empty = await askForLink(browser, " ");
    expect([empty.status, stateOf(empty).error]).toEqual([400, "empty-username"]);
    const stale = await browser.post("/password-reset/request", { _xsrf: "stale", username: "anna" });
    expect([stale.status, stateOf(stale).error]).toEqual([403, "xsrf"]);
  });
});

describe("pages of the password reset", () => {
  test.each([
    ["/password-reset/request-status?status=<b>x", 400, "<b>x"],
    ["/password-reset/reset-status?status=<b>x", 400, "<b>x"],
    ["/password-reset/reset-status?status=success", 200, "success"],
    ["/password-reset/reset-status", 400, ""],
  ])("%s answers %i and says nothing of an unknown status", async (path, status, shown) => {
    const page = await browser.get(path);
    expect([page.status, stateOf(page)]).toEqual([status, { status: shown }]);
    expect(page.body).not.toContain("<b>x");
  });

  test("are opened by their address alone: forms lead back to where they were", async () => {
    expect(wayOf(await browser.get("/password-reset/request"))).toBe("/password-reset/request-form");
    expect(wayOf(await browser.get("/password-reset/reset"))).toBe("/password-reset/reset-form");
    expect((await openLink(browser, "/password-reset/reset")).status).toBe(400);
  });
});
