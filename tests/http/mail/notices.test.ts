import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { followRedirects, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { finish, openStep, readStep } from "#tests/http/second-factor/steps.ts";
import { giveRecoveryCodes, giveTotp, testApp } from "#tests/support/factors.ts";
import { linkOf } from "#tests/support/mails.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";

let server: TestServer;
let party: RelyingParty;
let anna: TestUser;
let address: string;

beforeAll(async () => {
  server = await startServer();
  party = createRelyingParty({ issuer: server.url, client: await server.clients.create({ firstParty: true }) });
});

afterAll(() => server?.close());

let count = 0;

async function createMailedUser(fields: Parameters<TestServer["users"]["create"]>[0] = {}) {
  count += 1;
  address = `person-${count}@office.example`;
  anna = await server.users.create({ email: address, ...fields });
}

beforeEach(() => createMailedUser());

/** Returns the subjects of all mails to this test's user. */
async function subjects(): Promise<string[]> {
  return (await server.mails()).filter(({ to }) => to === address).map(({ subject }) => subject);
}

async function lastMail() {
  const mail = (await server.mails()).filter(({ to }) => to === address).at(-1);
  if (!mail) throw new Error("no mail came");
  return mail;
}

async function signInHere(browser = server.browser()) {
  codeOf(await signIn(browser, party.request(), anna));
  return browser;
}

const NEW_BROWSER = "New sign-in to your account";
const SEVERAL = "Several new sign-ins to your account";
const DAY = [NEW_BROWSER, NEW_BROWSER, NEW_BROWSER, SEVERAL];

describe("a sign-in", () => {
  test("in the first browser sends no mail, nor in the same browser again", async () => {
    const browser = await signInHere();
    server.clock.advance(60);
    await signInHere(browser);
    expect(await subjects()).toEqual([]);
  });

  test("in another browser sends a mail, once", async () => {
    await signInHere();
    server.clock.advance(60);
    const other = await signInHere();
    expect(await subjects()).toEqual([NEW_BROWSER]);
    const { text } = await lastMail();
    expect(text).toContain("Time: Monday, 2 March 2026 at ");
    expect(text).toMatch(/Browser: .+\nIP address: (127\.0\.0\.1|::1)\nApplication: .+\nAccount: /);
    server.clock.advance(60);
    await signInHere(other);
    expect(await subjects()).toEqual([NEW_BROWSER]);
  });

  // Proves requirement 23.
  test("in many new browsers sends three mails a day, and a fourth one that announces that no more follow", async () => {
    await signInHere();
    server.clock.advance(60);
    for (let n = 0; n < 25; n += 1) await signInHere();
    expect((await subjects()).toSorted()).toEqual(DAY);
    const several = (await server.mails()).find(({ to, subject }) => to === address && subject === SEVERAL);
    const { text } = several ?? { text: "" };
    expect(text).toContain("further ones by e-mail until 3 March 2026 at ");
    expect(text).toMatch(/Browser: .+\nIP address: (127\.0\.0\.1|::1)\nApplication: .+\nAccount: /);
    expect(linkOf({ text })).toContain("/login/not-me?not_me_token=");
    const marked = server.lines().filter(({ userId, browser }) => userId === anna.id && browser === "new");
    expect(marked).toHaveLength(25);
    server.clock.advance(24 * 60 * 60);
    for (let n = 0; n < 5; n += 1) await signInHere();
    expect((await subjects()).toSorted()).toEqual([...DAY, ...DAY].toSorted());
  });

  test("in new browsers at the same moment sends no more", async () => {
    await signInHere();
    server.clock.advance(60);
    await Promise.all(Array.from({ length: 8 }, () => signInHere()));
    expect((await subjects()).toSorted()).toEqual(DAY);
  });

  test("is sent in the user's language", async () => {
    await createMailedUser({ locale: "de", displayName: "Änne Groß" });
    await signInHere();
    server.clock.advance(60);
    await signInHere();
    const { subject, text, html } = await lastMail();
    expect(subject).toBe("Neue Anmeldung bei Ihrem Konto");
    expect(text).toContain("Guten Tag Änne Groß,");
    expect(html).toContain('<html lang="de">');
  });

  test("with a wrong password in a new browser sends no mail", async () => {
    await signInHere();
    await signIn(server.browser(), party.request(), { ...anna, password: "Wrong-Horse-77-Elm" });
    expect(await subjects()).toEqual([]);
  });
});

describe("a second factor", () => {
  // Proves requirement 23.
  test("that was set up during the sign-in sends a mail", async () => {
    const { name: groupName } = await server.groups.create({ requireMfa: true });
    await createMailedUser({ groupName });
    const step = await openStep(server.browser(), party.request().url, anna);
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const app = testApp(server.clock, String(secret));
    await finish(step, await step.call("/mfa/setup-totp", { code: await app.code() }));
    expect(await subjects()).toEqual(["A second factor was added"]);
    expect((await lastMail()).text).toContain("An authenticator app was added to your account.");
  });

  test("that was replaced by a recovery code sends a mail with the number of remaining codes; a refused code does not", async () => {
    await giveTotp(server, anna);
    const [code = ""] = await giveRecoveryCodes(server, anna);
    const first = await openStep(server.browser(), party.request().url, anna);
    const refused = await first.post("/mfa/verify", { code: "AAAAA-AAAAA", method: "recovery" });
    expect(await subjects()).toEqual([]);
    const step = readStep(first.browser, refused);
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code, method: "recovery" })));
    expect(await subjects()).toEqual(["A recovery code was used"]);
    const { text } = await lastMail();
    expect(text).toContain("9 codes are left.");
    expect(text).not.toContain(code);
  });
});

describe("a wrong second factor after a right password", () => {
  const WRONG = "A wrong second factor was entered";

  /** Enters wrong codes at the second step, one after the other; returns the last step. */
  async function guess(times: number) {
    let step = await openStep(server.browser(), party.request().url, anna);
    for (let n = 0; n < times; n += 1)
      step = readStep(step.browser, await step.post("/mfa/verify", { code: `00000${n}`, method: "totp" }));
    return step;
  }

  // Proves requirement 23.
  test("sends a mail at the third one, once an hour", async () => {
    await giveTotp(server, anna);
    await guess(2);
    expect(await subjects()).toEqual([]);
    await guess(2);
    expect(await subjects()).toEqual([WRONG]);
    const { text } = await lastMail();
    expect(text).toContain(`the sign-in for ${anna.username}`);
    expect(text).toMatch(/Browser: .+\nIP address: (127\.0\.0\.1|::1)\n/);
    server.clock.advance(1200);
    await guess(3);
    expect(await subjects()).toEqual([WRONG]);
    server.clock.advance(3600);
    await guess(3);
    expect(await subjects()).toEqual([WRONG, WRONG]);
  });

  test("that was mistyped twice and then correct sends no mail", async () => {
    const app = await giveTotp(server, anna);
    const step = await guess(2);
    codeOf(
      await followRedirects(step.browser, await step.post("/mfa/verify", { code: await app.code(), method: "totp" })),
    );
    expect(await subjects()).toEqual([]);
  });
});

describe("a password that an administrator sets", () => {
  test("sends a mail, without the password", async () => {
    await setUserPassword(server.context, anna.username, "Harbour-Candle-31-Elm");
    expect(await subjects()).toEqual(["Your password was changed"]);
    const { text, html } = await lastMail();
    expect(text).toContain(`The password for ${anna.username} was changed.`);
    expect(`${text}${html}`).not.toContain("Harbour");
    expect(text).not.toContain("IP address");
  });
});

test("the log contains neither addresses nor texts of mails", async () => {
  await setUserPassword(server.context, anna.username, "Harbour-Candle-31-Elm");
  await server.mails();
  const log = server.lines().map((line) => JSON.stringify(line));
  expect(log.some((line) => line.includes('"mail sent"'))).toBe(true);
  expect(log.filter((line) => /@office\.example|was changed/.test(line))).toEqual([]);
});
