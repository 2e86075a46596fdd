import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { mailsTo, obtainLink, openLink, redirectTarget, requestLink } from "./steps.ts";

let browser: Browser;
let count = 0;

const server = await serverOfFile();
beforeEach(() => {
  browser = server.browser();
  // Resets the counters of the address for the next test.
  server.clock.advance(60 * 60 + 1);
});

async function createMailedUser() {
  count += 1;
  const email = `asking-${count}@office.example`;
  return { ...(await server.users.create({ email })), email };
}

function isOfReset(event: unknown): boolean {
  return String(event).startsWith("password-reset.");
}

/** Returns the visible parts of a response, without values that differ in every response. */
function seen({ status, headers, setCookies, body }: HttpResponse) {
  const { date: _date, "content-security-policy": policy = "", "set-cookie": _cookies, ...rest } = headers;
  const names = setCookies.map((cookie) => cookie.split("=")[0]);
  return { status, rest, names, body, policy: String(policy).replace(/nonce-[\w-]+/g, "nonce") };
}

describe("requesting a reset link", () => {
  // Proves requirement 19.
  test("gets the same response for a known, an unknown, a blocked and a mail-less user, and for no name at all", async () => {
    const known = await createMailedUser();
    const blocked = await createMailedUser();
    await blockUser(server.context, blocked.username);
    const silent = await createMailedUser();
    const { t, q } = server.context.store;
    await q.update(t.users).set({ email: null }).where(eq(t.users.id, silent.id)).returning();
    const names = [known.username, "nobody", blocked.username, silent.username, "not a name!", "x".repeat(5_000)];
    const responses: ReturnType<typeof seen>[] = [];
    for (const name of names) responses.push(seen(await requestLink(server.browser(), name)));
    expect(responses[0]).toMatchObject({ status: 303, body: "" });
    for (const response of responses) expect(response).toEqual(responses[0]);
    await mailsTo(server, known.email);
    const mails = await server.mails();
    expect(mails.filter(({ to }) => [blocked.email, silent.email].includes(to))).toEqual([]);
  });

  // Proves requirement 152.
  test("accepts a verified e-mail address that no other user has, with the same response for any other", async () => {
    const [known, unverified, shared, other] = [
      await createMailedUser(),
      await createMailedUser(),
      await createMailedUser(),
      await createMailedUser(),
    ];
    const verify = (id: string, email: string) =>
      updateUserProfile(server.context.store, id, { email, emailVerified: true }, server.clock.now());
    await verify(known.id, known.email);
    await verify(shared.id, shared.email);
    await verify(other.id, shared.email.toUpperCase());
    const typed = [known.email.toUpperCase(), unverified.email, shared.email, "nobody@office.example"];
    const responses: ReturnType<typeof seen>[] = [];
    for (const name of typed) responses.push(seen(await requestLink(server.browser(), name)));
    for (const response of responses) expect(response).toEqual(responses[0]);
    await mailsTo(server, known.email);
    const mails = (await server.mails()).map(({ to }) => to.toLowerCase());
    expect(mails.filter((to) => [unverified.email, shared.email].includes(to))).toEqual([]);
  });

  test.each([
    ["max@müller-makler.example", "Max@MÜLLER-Makler.example", "max@xn--mller-makler-dlb.example"],
    ["eva@xn--mller-kva.example", "eva@müller.example", "eva@xn--mller-kva.example"],
    ["JÖRG@office.example", "jörg@office.example", "JÖRG@office.example"],
    ["a&b@office.example", "A&B@office.example", "a&b@office.example"],
  ])("accepts the address %s typed as %s, and mails the link to %s", async (email, typed, recipient) => {
    const { id } = await createMailedUser();
    await updateUserProfile(server.context.store, id, { email, emailVerified: true }, server.clock.now());
    await requestLink(server.browser(), typed);
    expect(await mailsTo(server, recipient)).toHaveLength(1);
  });

  test("leads to a page with reasons why no mail may arrive", async () => {
    const { username } = await createMailedUser();
    const response = await requestLink(browser, username);
    expect(redirectTarget(response)).toBe("/password-reset/request-status?status=success");
    const page = await browser.follow(response);
    expect([page.status, stateOf(page)]).toEqual([200, { status: "success" }]);
  });

  // Proves requirement 19.
  test("does not start before the response is sent", async () => {
    const { username, email } = await createMailedUser();
    let isOut = false;
    const requested = requestLink(browser, username).then((response) => {
      isOut = true;
      return response;
    });
    const { t, q } = server.context.store;
    while (!isOut) {
      expect(await q.$count(t.mailOutbox, eq(t.mailOutbox.recipient, email))).toBe(0);
      await new Promise(setImmediate);
    }
    await requested;
    await mailsTo(server, email);
  });

  // Proves requirement 70.
  test("builds the link from the issuer alone, whatever host the request names", async () => {
    const mailedUser = await createMailedUser();
    const page = await browser.get("/password-reset/request-form");
    const poison = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example;proto=https" };
    const fields = { _xsrf: String(stateOf(page).xsrf_token), username: mailedUser.username };
    expect((await browser.post("/password-reset/request", fields, { headers: poison })).status).toBe(303);
    const poisoned = await browser.post("/password-reset/request", fields, { headers: { host: "evil.example" } });
    expect(poisoned.status).toBe(421);
    const [mail] = await mailsTo(server, mailedUser.email);
    expect(new URL(linkOf(mail ?? { text: "" })).origin).toBe(server.url);
    expect(`${mail?.text}${mail?.html}`).not.toContain("evil.example");
  });

  // Proves requirement 71.
  test("a hundred times queues five mails an hour for a user, with the same page each time", async () => {
    const mailedUser = await createMailedUser();
    const browsers = Array.from({ length: 100 }, () => server.browser());
    const responses = await Promise.all(browsers.map((one) => requestLink(one, mailedUser.username)));
    expect(new Set(responses.map((response) => `${response.status} ${redirectTarget(response)}`)).size).toBe(1);
    const resetEvents = () =>
      server.lines().filter(({ userId, event }) => userId === mailedUser.id && isOfReset(event));
    await vi.waitFor(() => expect(resetEvents()).toHaveLength(100), { timeout: 20_000 });
    const { t, q } = server.context.store;
    expect(await q.$count(t.mailOutbox, eq(t.mailOutbox.recipient, mailedUser.email))).toBe(5);
    server.clock.advance(60 * 60 + 1);
    await obtainLink(server, mailedUser);
  });

  test("without a name, or with a stale form, shows the form again with the reason", async () => {
    const empty = await requestLink(browser, " ");
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
  ])("%s responds with %i, and shows a generic text for an unknown status", async (path, status, shown) => {
    const page = await browser.get(path);
    expect([page.status, stateOf(page)]).toEqual([status, { status: shown }]);
    expect(page.body).not.toContain("<b>x");
  });

  test("respond to a GET of a form's URL with a redirect to the form", async () => {
    expect(redirectTarget(await browser.get("/password-reset/request"))).toBe("/password-reset/request-form");
    expect(redirectTarget(await browser.get("/password-reset/reset"))).toBe("/password-reset/reset-form");
    expect((await openLink(browser, "/password-reset/reset")).status).toBe(400);
  });
});
