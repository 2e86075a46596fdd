import { describe, expect, it } from "vitest";
import { countWaitingMails, listOpenMails, markMailFailed } from "#app/db/repositories/mail-outbox.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { anna, mailDeps, quickTransport } from "./mail-fixtures.ts";

const LINK = "https://login.office.example/password-reset/reset-form?reset_token=very-secret-token";

describe.each(dialects)("the outbox on %s", (dialect) => {
  it("stores mails sealed: neither link nor text nor name is readable in the database", async () => {
    const store = await withStore(dialect);
    const { queue, rows } = mailDeps(store);
    await queue({ template: { name: "password-reset", url: LINK } });
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ kind: "password-reset", recipient: "anna@office.example", attempts: 0, sentAt: null });
    const stored = JSON.stringify(row) + Buffer.from(row?.sealedMessage ?? "", "base64url").toString("latin1");
    expect(stored).not.toMatch(/very-secret|Passwort|Anna Berg/);
  });

  it("returns the stored mail, in the user's language", async () => {
    const store = await withStore(dialect);
    const { queue, deliver } = mailDeps(store);
    await queue({ from: { address: "192.0.2.1", userAgent: "Firefox/140.0" } });
    const { transport, sent } = quickTransport();
    expect(await deliver(transport)).toBe(1);
    expect(sent).toMatchObject([
      { subject: "Ihr Passwort wurde geändert", to: { name: "Anna Berg", address: anna.email } },
    ]);
    expect(sent[0]?.text).toContain("Das Passwort für anna wurde geändert.");
    expect(sent[0]?.text).toContain("Browser: Firefox\nIP-Adresse: 192.0.2.1\n");
  });

  it("stores nothing for a user without an e-mail address", async () => {
    const store = await withStore(dialect);
    const { queue, rows } = mailDeps(store);
    for (const email of [null, ""]) await queue({ to: { ...anna, email } });
    expect(await rows()).toEqual([]);
  });

  it("counts the waiting mails, and lists those that are not sent without their content", async () => {
    const store = await withStore(dialect);
    const { queue, rows, clock } = mailDeps(store);
    expect(await countWaitingMails(store)).toEqual({ waiting: 0, oldest: null });
    for (let count = 0; count < 3; count += 1) await queue();
    const oldest = clock.now();
    expect(await countWaitingMails(store)).toEqual({ waiting: 3, oldest });
    const [first] = await rows();
    await markMailFailed(store, first?.id ?? "", { now: oldest, why: "550", isRepeatable: true });
    expect(await countWaitingMails(store)).toEqual({ waiting: 2, oldest });
    const open = await listOpenMails(store, 10);
    expect([open.length, (await listOpenMails(store, 2)).length]).toEqual([3, 2]);
    expect(open[0]).not.toHaveProperty("sealedMessage");
    expect(open.map(({ failedAt }) => failedAt !== null).sort()).toEqual([false, false, true]);
  });

  it("discards a mail whose transaction is rolled back", async () => {
    const store = await withStore(dialect);
    const deps = mailDeps(store);
    const failing = store.tx(async (tx) => {
      await mailDeps(tx).queue();
      throw new Error("power cut");
    });
    await expect(failing).rejects.toThrow("power cut");
    expect(await deps.rows()).toEqual([]);
  });
});
