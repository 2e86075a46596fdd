import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { NEW_BROWSER_LIMITS } from "#app/domain/sign-in/finish.server.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { startSmtp, startStrangeSmtp } from "#tests/support/smtp.ts";

let server: TestServer;

afterEach(() => server?.close());

/** Mails about new browsers that a user gets in a day, one for each. */
const MAILS = NEW_BROWSER_LIMITS.single.points;

/** Far below the 10 s timeout of an unresponsive mail server, but enough for a busy machine. */
const FAST_MS = 4_000;

/** Returns the median duration in ms of a sign-in from a new browser, which queues a mail. */
async function signInTimes(count: number): Promise<number> {
  const party = createRelyingParty({ issuer: server.url, client: await server.clients.create({ firstParty: true }) });
  const anna = await server.users.create();
  const times: number[] = [];
  for (let round = 0; round <= count; round += 1) {
    const browser = server.browser();
    const page = await open(browser, party.request().url);
    const startedAt = performance.now();
    codeOf(await typePassword(browser, page, anna));
    times.push(performance.now() - startedAt);
    server.clock.advance(60);
  }
  // The user's first browser queues no mail.
  return times.slice(1).toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

async function startWith(smtpUrl: string) {
  server = await startServer({ env: { SMTP_URL: smtpUrl }, passwordChecks: "every" });
}

/** Returns the number of sent mails, and the errors of the others. */
async function outbox() {
  const { q, t } = server.context.store;
  const rows = await q.select().from(t.mailOutbox);
  return {
    sent: rows.filter(({ sentAt }) => sentAt).length,
    errors: new Set(rows.map(({ lastError }) => lastError)),
    rows,
  };
}

const errors = async () => (await outbox()).errors;

/** Delivers repeatedly, with a minute between attempts, until `count` mails are sent. */
async function untilSent(count: number) {
  await vi.waitFor(
    async () => {
      server.clock.advance(60);
      server.context.store.events.emit("mail queued");
      expect((await outbox()).sent).toBe(count);
    },
    { timeout: 10_000, interval: 50 },
  );
}

describe("a page that queues a mail is as fast as ever", () => {
  test("while the mail server refuses, and the mails arrive when it accepts them again", async () => {
    let refuses = true;
    const smtp = await startSmtp({
      onRcptTo: (_address, _session, done) =>
        refuses ? done(Object.assign(new Error("not now"), { responseCode: 450 })) : done(),
    });
    onTestFinished(smtp.close);
    await startWith(smtp.url);
    expect(await signInTimes(MAILS)).toBeLessThan(FAST_MS);
    await expect.poll(errors).toContain("the mail server refused the recipient (450)");
    expect(await smtp.mails()).toEqual([]);
    refuses = false;
    await untilSent(MAILS);
    expect((await smtp.mails()).map(({ subject }) => subject)).toEqual(
      Array(MAILS).fill("New sign-in to your account"),
    );
  });

  test("while the mail server does not respond", async () => {
    const tarpit = await startStrangeSmtp((socket) => {
      // An endless greeting, each part of which arrives before any timeout.
      const drip = setInterval(() => socket.write("220-wait\r\n"), 200);
      socket.on("close", () => clearInterval(drip));
    });
    onTestFinished(tarpit.close);
    await startWith(tarpit.url);
    expect(await signInTimes(MAILS)).toBeLessThan(FAST_MS);
    expect(await outbox()).toMatchObject({ sent: 0 });
  });

  // Proves requirement 125.
  test("while the mail server is dead, and the mails arrive when it is back", async () => {
    const dead = await startSmtp();
    await dead.close();
    await startWith(dead.url);
    expect(await signInTimes(MAILS)).toBeLessThan(FAST_MS);
    await expect.poll(errors).toContain("the mail server refused the connection");
    const back = await startSmtp({ port: dead.port });
    onTestFinished(back.close);
    await untilSent(MAILS);
    expect(await back.mails()).toHaveLength(MAILS);
  });
});
