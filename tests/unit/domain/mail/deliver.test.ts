import { describe, expect, it, onTestFinished } from "vitest";
import { consumeOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { setUserPassword } from "#app/db/repositories/users.server.ts";
import { removeDoneMails } from "#app/domain/clean-up/remove-expired.server.ts";
import { deliverDueMails } from "#app/domain/mail/deliver.server.ts";
import { INVITATION_MINUTES, issueResetLink } from "#app/domain/password-reset/link.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { createMailTransport, type MailTransport } from "#app/mail/transport.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { startSmtp } from "#tests/support/smtp.ts";
import { countingStore, putUser } from "#tests/unit/domain/fixtures.ts";
import { anna, mailDeps, quickTransport, refusedRecipient } from "./mail-fixtures.ts";

const LINK = "https://login.office.example/password-reset/reset-form?reset_token=abc";
const withLink = { name: "password-reset", url: LINK } as const;

describe.each(dialects)("delivering on %s", (dialect) => {
  it("a mail is sent once, and its content is deleted from the database", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    await queue({ template: withLink });
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(1);
    clock.advance(DAY_SECONDS);
    expect(await deliver(transport)).toBe(0);
    expect(sent).toHaveLength(1);
    expect(await rows()).toMatchObject([{ sealedMessage: "", nextAttemptAt: null, claimedUntil: null, attempts: 1 }]);
  });

  it("a failed mail is retried after 1, 5, 15, 60, 240, 240 … minutes", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    await queue();
    let tries = 0;
    const { transport } = quickTransport(() => {
      tries += 1;
      return refusedRecipient();
    });
    const waited: number[] = [];
    for (let minute = 0; minute < 15 * 60; minute += 1) {
      const before = tries;
      await deliver(transport);
      if (tries > before) waited.push(minute);
      clock.advance(MINUTE_SECONDS);
    }
    expect(waited).toEqual([0, 1, 6, 21, 81, 321, 561, 801]);
    expect(await rows()).toMatchObject([{ attempts: 8, failedAt: null }]);
  });

  it("a failed mail is delivered when the server has recovered", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    await queue();
    await deliver(quickTransport(refusedRecipient).transport);
    clock.advance(MINUTE_SECONDS);
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
    expect(await rows()).toMatchObject([{ lastError: null, attempts: 2 }]);
  });

  it("a mail that the server can never accept fails at the first attempt, with the reason", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    const server = await startSmtp({ hideSMTPUTF8: true });
    onTestFinished(server.close);
    const transport = createMailTransport(
      { smtpUrl: server.url, mailOauth: null, dataDir: "", logo: null, accent: null },
      { clock },
    );
    await queue({ to: { ...anna, email: "jörg@office.example" } });
    expect(await deliver(transport)).toBe(0);
    const lastError = expect.stringContaining("SMTPUTF8");
    expect(await rows()).toMatchObject([
      { attempts: 1, failedAt: clock.now(), nextAttemptAt: null, claimedUntil: null, lastError },
    ]);
    expect(await server.mails()).toEqual([]);
  });

  it("the reason of a failure is stored; neither it nor the log contains an address, a link or text of the mail", async () => {
    const { queue, deliver, rows, lines } = mailDeps(await withStore(dialect));
    await queue({ template: withLink });
    await deliver(quickTransport(refusedRecipient).transport);
    expect(await rows()).toMatchObject([{ lastError: "the mail server refused the recipient (550)" }]);
    expect(lines.join("\n")).toContain("the mail server refused the recipient (550)");
    expect(lines.join("\n")).not.toMatch(/@|reset_token|Anna|Passwort/);
  });

  it("an expired mail is marked as failed", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    await queue({ template: withLink, expiresAt: new Date(clock.now().getTime() + 20 * MINUTE_SECONDS * 1000) });
    for (const minutes of [0, 1, 5]) {
      clock.advance(minutes * MINUTE_SECONDS);
      expect(await deliver(quickTransport(refusedRecipient).transport)).toBe(0);
    }
    const [row] = await rows();
    expect(row).toMatchObject({ nextAttemptAt: null, claimedUntil: null, attempts: 3 });
    expect(row?.failedAt).toEqual(clock.now());
  });

  it("a mail that waited past its expiry is not sent", async () => {
    const { queue, deliver, rows, clock } = mailDeps(await withStore(dialect));
    await queue();
    clock.advance(3 * DAY_SECONDS);
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(0);
    expect(sent).toEqual([]);
    expect(await rows()).toMatchObject([{ lastError: "it is too old", nextAttemptAt: null }]);
  });

  it("a mail whose link was used, replaced or expired is dropped; one with a valid link is sent", async () => {
    const store = await withStore(dialect);
    const { queue, deliver, rows, clock } = mailDeps(store);
    const issue = async (name: string, slot: string, minutes = 60) => {
      const now = clock.now();
      const token = { kind: "mfa", hash: hashToken(name) } as const;
      const expiresAt = new Date(now.getTime() + minutes * MINUTE_SECONDS * 1000);
      const fields = { payload: {}, createdAt: now, expiresAt };
      await issueOneTimeToken(store, { kind: "mfa", slot, tokenHash: token.hash, ...fields });
      await queue({ template: withLink, token });
      return token.hash;
    };
    const used = await issue("used", "a");
    await consumeOneTimeToken(store, { kind: "mfa", tokenHash: used, now: clock.now() });
    await issue("replaced", "b");
    await issue("replacing", "b");
    await issue("over", "c", 1);
    clock.advance(MINUTE_SECONDS);
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
    const dropped = (await rows()).filter(({ lastError }) => lastError === "its link is dead");
    expect(dropped.map(({ sealedMessage, sentAt }) => [sealedMessage, sentAt])).toEqual(Array(3).fill(["", null]));
  });

  it("drops links of users who were blocked or changed since", async () => {
    const store = await withStore(dialect);
    const { queue, deliver, rows, ...deps } = mailDeps(store);
    for (const username of ["blocked", "changed", "unchanged"]) {
      const email = `${username}@office.example`;
      const user = await putUser(store, { username, email });
      const mailed = { mailedTo: email, minutes: INVITATION_MINUTES };
      const { url, tokenHash: hash } = await issueResetLink(deps, user, mailed);
      await queue({ to: user, template: { name: "invitation", url }, token: { kind: "password-reset", hash } });
    }
    await blockUser(deps, "blocked");
    await setUserPassword(store, (await getUserByName(store, "changed")).id, {
      hash: "plain:x",
      how: "cli",
      at: deps.clock.now(),
    });
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(1);
    expect(sent.map(({ to }) => to.address)).toEqual(["unchanged@office.example"]);
    const dropped = (await rows()).filter(({ lastError }) => lastError === "its link is dead");
    expect(dropped).toHaveLength(2);
  });

  it("of many concurrent senders one sends each mail", async () => {
    const store = await withStore(dialect);
    const { queue, ...deps } = mailDeps(store);
    for (let count = 0; count < 12; count += 1) await queue();
    const { transport, sent } = quickTransport();
    const slow: MailTransport = {
      ...transport,
      async send(message) {
        await new Promise((resolve) => setImmediate(resolve));
        await transport.send(message);
      },
    };
    const senders = Array.from({ length: 4 }, () => deliverDueMails({ ...deps, transport: slow }));
    const counts = await Promise.all(senders);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(12);
    expect(sent).toHaveLength(12);
  });

  it("the mail of a crashed sender is sent by another one, minutes later", async () => {
    const { queue, deliver, clock } = mailDeps(await withStore(dialect));
    await queue();
    const { transport, sent } = quickTransport();
    const claimed = Promise.withResolvers<void>();
    const send = () => {
      claimed.resolve();
      return new Promise<void>(() => {});
    };
    void deliver({ ...transport, send });
    await claimed.promise;
    expect(await deliver(transport)).toBe(0);
    clock.advance(2 * MINUTE_SECONDS);
    expect(await deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
  });

  it("an empty queue takes one statement and no transaction", async () => {
    const store = await withStore(dialect);
    const { queue, deliver, clock: _, ...deps } = mailDeps(store);
    await queue();
    const { transport } = quickTransport();
    await deliver(transport);
    const counted = countingStore(store);
    await deliverDueMails({ ...deps, clock: _, store: counted.store, transport });
    expect(counted.counts).toEqual({ statements: 1, transactions: 0 });
  });

  it("a mail sealed with a lost key fails, and the others are sent", async () => {
    const store = await withStore(dialect);
    const { queue, deliver, rows, ...deps } = mailDeps(store);
    await queue();
    const otherSecrets = createSecrets({ secretKeys: ["x".repeat(32)], epoch: 0 });
    const { transport, sent } = quickTransport();
    expect(await deliverDueMails({ ...deps, secrets: otherSecrets, transport })).toBe(0);
    await queue();
    expect(await deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
    expect((await rows()).filter(({ failedAt }) => failedAt !== null)).toHaveLength(1);
  });

  it("sent and failed mails are removed after a week; waiting ones stay", async () => {
    const { queue, deliver, rows, clock, ...deps } = mailDeps(await withStore(dialect));
    await queue();
    await deliver(quickTransport().transport);
    await queue();
    clock.advance(7 * DAY_SECONDS - 1);
    await removeDoneMails({ ...deps, clock });
    expect(await rows()).toHaveLength(2);
    clock.advance(1);
    await removeDoneMails({ ...deps, clock });
    expect(await rows()).toMatchObject([{ sentAt: null, failedAt: null }]);
  });
});
