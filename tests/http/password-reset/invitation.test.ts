import { beforeEach, describe, expect, test } from "vitest";
import { addUser } from "#app/domain/user/add.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import {
  choose,
  ERROR_TOKEN,
  FIRST_SUCCESS,
  mailsTo,
  NEW_PASSWORD,
  obtainLink,
  openLink,
  redirectTarget,
} from "./steps.ts";

const WEEK_SECONDS = 7 * 24 * 60 * 60;
let anna: TestUser & { email: string };
let count = 0;

const server = await serverOfFile({ env: { TIME_ZONE: "Europe/Berlin" } });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  count += 1;
  const [username, email] = [`invited-${count}`, `invited-${count}@office.example`];
  const { id } = await addUser(server.context, { username, displayName: "Anna Berger", email });
  anna = { id, username, displayName: "Anna Berger", email, password: NEW_PASSWORD };
});

/** Invites the user and returns the text of the mail. */
async function invite(): Promise<string> {
  await inviteUser(server.context, anna.username);
  return (await mailsTo(server, anna.email)).at(-1)?.text ?? "";
}

describe("an invitation", () => {
  test("lets a new user choose a first password, with its own text", async () => {
    const text = await invite();
    expect(text).toMatch(/Open this link by \d+ \w+ \d{4} at \d\d:\d\d to choose your password:/);
    const browser = server.browser();
    const page = await openLink(browser, linkOf({ text }));
    expect(page.page().title).toBe("Choose your password | Gatehouse");
    expect(page.page().one("h1").text).toBe("Choose your password");
    expect(page.page().text).not.toContain("new password |");
    const done = await choose(browser, page);
    expect(redirectTarget(done)).toBe(FIRST_SUCCESS);
    const { title, text: words } = (await browser.follow(done)).page();
    expect([title, words]).toEqual(["Password saved | Gatehouse", expect.not.stringContaining("other sessions")]);
    await signIn(browser, party.request(), anna);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("is valid for seven days, to the last second, and works once", async () => {
    const link = linkOf({ text: await invite() });
    server.clock.advance(WEEK_SECONDS - 1);
    const browser = server.browser();
    const page = await openLink(browser, link);
    expect(redirectTarget(await choose(browser, page))).toBe(FIRST_SUCCESS);
    expect(redirectTarget(await choose(browser, page))).toBe(ERROR_TOKEN);
  });

  test.each([
    ["after seven days", async () => server.clock.advance(WEEK_SECONDS)],
    ["after a newer one", () => invite()],
    ["after a link that the user requested", () => obtainLink(server, anna)],
    ["for a blocked user", () => blockUser(server.context, anna.username)],
  ])("does not work %s", async (_when, happen) => {
    const link = linkOf({ text: await invite() });
    await happen();
    expect((await openLink(server.browser(), link)).url).toBe(`${server.url}${ERROR_TOKEN}`);
  });

  test("does not change the lifetime of a reset link", async () => {
    const link = await obtainLink(server, anna);
    server.clock.advance(60 * 60);
    expect((await openLink(server.browser(), link)).url).toBe(`${server.url}${ERROR_TOKEN}`);
  });
});

test("the page for a password that replaces another one has its own text", async () => {
  const user = { ...(await server.users.create({ email: `known-${count}@office.example` })) };
  const link = await obtainLink(server, { ...user, email: `known-${count}@office.example` });
  const page = await openLink(server.browser(), link);
  expect(page.page().one("h1").text).toBe("Choose a new password");
});
