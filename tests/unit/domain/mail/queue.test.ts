import { describe, expect, it } from "vitest";
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
