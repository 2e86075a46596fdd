import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Store } from "#app/db/store.server.ts";
import { createMailer } from "#app/domain/mail/mailer.server.ts";
import { withStore } from "#tests/support/databases.ts";
import { startSmtp, startStrangeSmtp } from "#tests/support/smtp.ts";
import { mailDeps } from "./mail-fixtures.ts";

/** Starts a mailer for this mail server; it is stopped after the test. */
async function running(smtpUrl: string) {
  const { queue, rows, clock, lines, ...deps } = mailDeps(await withStore("sqlite"));
  const mailer = createMailer({
    ...deps,
    clock,
    config: { smtpUrl, mailOauth: null, dataDir: "", logo: null, accent: null },
  });
  onTestFinished(mailer.stop);
  await mailer.start();
  /** Wakes the mailer, as a queued mail does. */
  const wake = () => deps.store.events.emit("mail queued");
  const queueIn = (tx: Store) => mailDeps(tx).queue();
  return { mailer, wake, queue, queueIn, store: deps.store, rows, clock, lines };
}

async function smtp(options?: Parameters<typeof startSmtp>[0]) {
  const server = await startSmtp(options);
  onTestFinished(server.close);
  return server;
}

async function until(isSo: () => boolean | Promise<boolean>) {
  await vi.waitFor(async () => expect(await isSo()).toBe(true), { timeout: 5_000, interval: 10 });
}

describe("the mailer", () => {
  it("sends waiting mails when it starts, and none before", async () => {
    const server = await smtp();
    const { queue, rows, ...deps } = mailDeps(await withStore("sqlite"));
    const mailer = createMailer({
      ...deps,
      config: { smtpUrl: server.url, mailOauth: null, dataDir: "", logo: null, accent: null },
    });
    onTestFinished(mailer.stop);
    await queue();
    deps.store.events.emit("mail queued");
    expect((await rows()).map(({ attempts }) => attempts)).toEqual([0]);
    await mailer.start();
    await until(async () => (await server.mails()).length === 1);
    await until(async () => (await rows()).every(({ sentAt }) => sentAt !== null));
  });

  it("polls once more if it is woken while it sends, and never sends a mail twice", async () => {
    const server = await smtp();
    const { wake, queue, rows } = await running(server.url);
    for (let count = 0; count < 8; count += 1) {
      await queue();
      wake();
    }
    await until(async () => (await rows()).every(({ sentAt }) => sentAt !== null));
    expect(await server.mails()).toHaveLength(8);
    expect((await rows()).map(({ attempts }) => attempts)).toEqual(Array(8).fill(1));
  });

  it("delivers when the mail server is available again", async () => {
    const gone = await startSmtp();
    await gone.close();
    const { wake, queue, rows, clock } = await running(gone.url);
    await queue();
    await until(async () => (await rows())[0]?.lastError === "the mail server refused the connection");
    const back = await smtp({ port: gone.port });
    clock.advance(60);
    wake();
    await until(async () => (await back.mails()).length === 1);
  });

  it("stops in time if the mail server hangs, and keeps the mail for later", async () => {
    const tarpit = await startStrangeSmtp(() => {});
    onTestFinished(tarpit.close);
    const { mailer, wake, queue, rows } = await running(tarpit.url);
    await queue();
    await until(async () => (await rows())[0]?.attempts === 1);
    const startedAt = performance.now();
    await mailer.stop();
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await rows()).toMatchObject([{ claimedUntil: null, sentAt: null, failedAt: null }]);
    wake();
    expect(await rows()).toMatchObject([{ attempts: 1 }]);
  });
});

describe("the mailer's polling", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("is not needed for a mail of this process, which is sent once its transaction commits", async () => {
    const server = await smtp();
    const { queueIn, store, rows } = await running(server.url);
    await store.tx(async (tx) => {
      await queueIn(tx);
      expect(await server.mails()).toEqual([]);
    });
    await until(async () => (await server.mails()).length === 1);
    await until(async () => (await rows()).every(({ sentAt }) => sentAt !== null));
  });

  it("runs every five seconds, for mails of other processes", async () => {
    const server = await smtp();
    const { queue, wake, store, rows } = await running(server.url);
    await queue();
    wake();
    await until(async () => (await rows()).every(({ sentAt }) => sentAt !== null));
    // The mailer hears nothing of another process.
    store.events.removeAllListeners("mail queued");
    await queue();
    expect((await rows()).map(({ attempts }) => attempts).toSorted()).toEqual([0, 1]);
    vi.advanceTimersByTime(5_000);
    await until(async () => (await server.mails()).length === 2);
  });
});
