import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import { addUser } from "#app/domain/user/add.server.ts";
import { inviteUser } from "#app/domain/user/invite.server.ts";
import { createPasswordLink } from "#app/domain/user/links.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { linkOf } from "#tests/support/mails.ts";
import { serverOfFile } from "#tests/support/server.ts";
import {
  choose,
  FIRST_SUCCESS,
  mailsTo,
  NEW_PASSWORD,
  obtainLink,
  openLink,
  redirectTarget,
  SUCCESS,
} from "./steps.ts";

let anna: { id: string; username: string; email: string };
let count = 0;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  count += 1;
  const [username, email] = [`verified-${count}`, `Verified-${count}@office.example`];
  const { id } = await addUser(server.context, { username, displayName: "Anna Berger", email });
  anna = { id, username, email };
});

/** Chooses a password through the link; returns the page that follows. */
async function chooseBy(link: string): Promise<string> {
  const browser = server.browser();
  return redirectTarget(await choose(browser, await openLink(browser, link)));
}

/** Returns whether the address, in lower case, and the new password sign the user in. */
async function opensByAddress(): Promise<boolean> {
  const browser = server.browser();
  const typed = { ...anna, username: anna.email.toLowerCase(), displayName: "", password: NEW_PASSWORD };
  await signIn(browser, party.request(), typed);
  return (await findSignedInUser(party, browser)) === anna.id;
}

async function isVerified() {
  return (await findUser(server.context.store, anna.id))?.emailVerified;
}

async function invitation(): Promise<string> {
  await inviteUser(server.context, anna.username);
  return linkOf((await mailsTo(server, anna.email)).at(-1) ?? { text: "" });
}

/** Reports a stranger with the link of a notice; returns the link to a new password that is mailed. */
async function linkAfterReport(): Promise<string> {
  await notifyUser(server.context, anna.id, { template: { name: "new-browser" } });
  const [notice = { text: "" }] = await mailsTo(server, anna.email);
  const browser = server.browser();
  const page = await openLink(browser, linkOf(notice));
  await browser.submit(page, page.page().form("/login/not-me"));
  return linkOf((await mailsTo(server, anna.email, 2)).at(-1) ?? { text: "" });
}

describe("an address is verified, and signs in in any case, after a password was set", () => {
  // Proves requirement 152.
  test.each([
    ["by a requested link", () => obtainLink(server, anna)],
    ["by an invitation", invitation],
    ["by the link after a report", linkAfterReport],
  ])("%s that was mailed to it", async (_how, link) => {
    expect(await isVerified()).toBe(false);
    expect(await chooseBy(await link())).toBe(FIRST_SUCCESS);
    expect([await isVerified(), await opensByAddress()]).toEqual([true, true]);
  });
});

describe("an address stays unverified", () => {
  // Proves requirement 152.
  test("if an administrator's link set the password: it was not mailed", async () => {
    expect(await chooseBy((await createPasswordLink(server.context, anna.username)).url)).toBe(FIRST_SUCCESS);
    expect([await isVerified(), await opensByAddress()]).toEqual([false, false]);
  });

  // Proves requirement 152.
  test("if another address replaced the one of the mail, whose link is invalid then", async () => {
    const link = await obtainLink(server, anna);
    const { q, t } = server.context.store;
    // As if the mail had been queued at the same moment: a change that is finished removes its link.
    await q.update(t.users).set({ email: "other@office.example" }).where(eq(t.users.id, anna.id)).returning();
    const opened = await openLink(server.browser(), link);
    expect(new URL(opened.url).search).toBe("?status=error-token");
    expect(await isVerified()).toBe(false);
  });

  // Proves requirement 152.
  test("if it is another user's name", async () => {
    await addUser(server.context, { username: anna.email, displayName: "Bernd" });
    expect(await chooseBy(await obtainLink(server, anna))).toBe(FIRST_SUCCESS);
    expect([await isVerified(), await opensByAddress()]).toEqual([false, false]);
  });
});

test("a verified address stays verified when other fields change, and is not when it changes", async () => {
  expect(await chooseBy(await obtainLink(server, anna))).toBe(FIRST_SUCCESS);
  await setUser(server.context, anna.username, { displayName: "Anna", email: anna.email });
  expect(await isVerified()).toBe(true);
  await setUser(server.context, anna.username, { email: `new-${anna.email}` });
  expect(await isVerified()).toBe(false);
  const late = await obtainLink(server, { ...anna, email: `new-${anna.email}` });
  expect(await chooseBy(late)).toBe(SUCCESS);
  expect(await isVerified()).toBe(true);
});
