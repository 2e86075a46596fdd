import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createFormSetup, type FilledForm, FORM_PATHS, type FormSetup, openFormAt } from "./forms.ts";

let setup: FormSetup;

const server = await serverOfFile();

beforeEach(async () => {
  setup = await createFormSetup(server);
});

function queryOf({ token, fields }: FilledForm) {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return new URLSearchParams([["_xsrf", token], ...pairs]).toString();
}

/** Returns what a form could have changed: consents, known browsers, sessions, events and sign-ins. */
async function changes() {
  const { t, q } = server.context.store;
  const { id } = setup.anna;
  const signIns = server.lines().filter(({ event, userId }) => String(event).startsWith("sign-") && userId === id);
  return {
    consents: await q.$count(t.consents, eq(t.consents.userId, id)),
    knownBrowsers: await q.$count(t.knownBrowsers, eq(t.knownBrowsers.userId, id)),
    sessions: await q.$count(t.oidcRecords, eq(t.oidcRecords.model, "Session")),
    events: await q.$count(t.auditEvents),
    signIns: signIns.length,
  };
}

describe.each(FORM_PATHS)("the form of %s", (path) => {
  test.each(["GET", "HEAD"])("has no effect as a %s", async (method) => {
    const browser = server.browser();
    const form = await openFormAt(setup, path, browser);
    const before = await changes();
    const response = await browser.send(method, `${path}?${queryOf(form)}`, null);
    expect([response.status < 500, response.setCookies.join().includes("session")]).toEqual([true, false]);
    expect(await changes()).toEqual(before);
  });

  test.each(["PUT", "DELETE"])("has no effect as a %s", async (method) => {
    const browser = server.browser();
    const form = await openFormAt(setup, path, browser);
    const before = await changes();
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: server.url };
    const response = await browser.send(method, path, queryOf(form), { headers });
    expect(response.location).toBeNull();
    expect(await changes()).toEqual(before);
  });
});

// Proves requirement 113.
test("following every link of every page signs no user in or out, and grants nothing", async () => {
  const browser = server.browser();
  const form = await openFormAt(setup, "/logout/accept", browser);
  const { id } = setup.anna;
  const pages = [
    "/login",
    "/consent",
    "/logout",
    `/logout?logout_challenge=${form.fields.logout_challenge}`,
    "/error",
    "/nowhere",
  ];
  for (const url of pages) {
    const page = await browser.get(url);
    const links = page
      .page()
      .all("a")
      .map(({ attributes }) => attributes.href ?? "");
    for (const link of links.filter((href) => href.startsWith("/"))) await browser.get(link);
  }
  expect(await findSignedInUser(setup.party, browser)).toBe(id);
});

test("a prefetch of a sign-in page does not use it up", async () => {
  const browser = server.browser();
  const form = await openFormAt(setup, "/login/native", browser);
  const url = `/login?login_challenge=${form.fields.login_challenge}`;
  for (let times = 0; times < 3; times += 1) await browser.get(url, { headers: { "sec-purpose": "prefetch" } });
  expect((await browser.post(form.path, { ...form.fields, _xsrf: form.token })).status).toBe(303);
});
