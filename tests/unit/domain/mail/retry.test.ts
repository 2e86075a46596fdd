import { describe, expect, it } from "vitest";
import { consumeOneTimeToken, issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { retryMails } from "#app/domain/mail/retry.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { anna, mailDeps, quickTransport, refusedRecipient } from "./mail-fixtures.ts";

const withLink = { name: "password-reset", url: "https://login.office.example/x?reset_token=abc" } as const;

/** Returns the error of a mail that no attempt can deliver. */
const unsupported = () => Object.assign(new Error("no SMTPUTF8"), { code: "ENOSMTPUTF8" });

describe.each(dialects)("mails that are sent again on %s", (dialect) => {
  async function failedNotice() {
    const deps = mailDeps(await withStore(dialect));
    await deps.queue();
    await deps.deliver(quickTransport(unsupported).transport);
    expect(await deps.rows()).toMatchObject([{ failedAt: deps.clock.now() }]);
    return deps;
  }

  it("a failed notice is sent, although it is older than three days, with new attempts", async () => {
    const deps = await failedNotice();
    deps.clock.advance(4 * DAY_SECONDS);
    expect(await retryMails(deps, null)).toMatchObject([{ recipient: anna.email, outcome: "due" }]);
    expect(await deps.rows()).toMatchObject([{ attempts: 0, failedAt: null, nextAttemptAt: deps.clock.now() }]);
    const { transport, sent } = quickTransport();
    expect(await deps.deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
    expect(await deps.rows()).toMatchObject([{ sealedMessage: "", sentAt: deps.clock.now() }]);
    expect(await retryMails(deps, null)).toEqual([]);
  });

  it("one that waited too long because no server was running is sent, too", async () => {
    const deps = mailDeps(await withStore(dialect));
    await deps.queue();
    deps.clock.advance(3 * DAY_SECONDS);
    const { transport, sent } = quickTransport();
    expect(await deps.deliver(transport)).toBe(0);
    await retryMails(deps, null);
    expect(await deps.deliver(transport)).toBe(1);
    expect(sent).toHaveLength(1);
  });

  it("a waiting one is due at once, with its attempts as they are", async () => {
    const deps = mailDeps(await withStore(dialect));
    await deps.queue();
    await deps.deliver(quickTransport(refusedRecipient).transport);
    expect(await retryMails(deps, null)).toMatchObject([{ outcome: "due" }]);
    expect(await deps.rows()).toMatchObject([{ attempts: 1, nextAttemptAt: deps.clock.now() }]);
    expect(await deps.deliver(quickTransport().transport)).toBe(1);
  });

  it("one that is being sent is left alone", async () => {
    const deps = mailDeps(await withStore(dialect));
    await deps.queue();
    const claimed = Promise.withResolvers<void>();
    const accepted = Promise.withResolvers<void>();
    const { transport, sent } = quickTransport();
    const slow = async (...args: Parameters<typeof transport.send>) => {
      claimed.resolve();
      await accepted.promise;
      await transport.send(...args);
    };
    const delivering = deps.deliver({ ...transport, send: slow });
    await claimed.promise;
    expect(await retryMails(deps, null)).toMatchObject([{ outcome: "being sent" }]);
    accepted.resolve();
    await delivering;
    expect(sent).toHaveLength(1);
  });

  // Proves requirement 176.
  it("one with a link is sent while the link is valid, and never afterwards", async () => {
    const store = await withStore(dialect);
    const deps = mailDeps(store);
    const { clock, queue, deliver } = deps;
    for (const name of ["valid", "used"]) {
      const now = clock.now();
      const token = { kind: "mfa", hash: hashToken(name) } as const;
      const expiresAt = new Date(now.getTime() + HOUR_SECONDS * 1000);
      const fields = { payload: {}, createdAt: now, expiresAt };
      await issueOneTimeToken(store, { kind: "mfa", slot: name, tokenHash: token.hash, ...fields });
      await queue({ template: withLink, token, expiresAt });
    }
    await deliver(quickTransport(unsupported).transport);
    await consumeOneTimeToken(store, { kind: "mfa", tokenHash: hashToken("used"), now: clock.now() });
    clock.advance(MINUTE_SECONDS);
    const outcomes = (await retryMails(deps, null)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["dead", "due"]);
    const { transport, sent } = quickTransport();
    await deliver(quickTransport(unsupported).transport);
    clock.advance(HOUR_SECONDS);
    expect((await retryMails(deps, null)).map(({ outcome }) => outcome)).toEqual(["dead", "dead"]);
    await deliver(transport);
    expect(sent).toEqual([]);
  });

  it("one whose link was dead at the delivery, or whose key is lost, has no content any more", async () => {
    const deps = mailDeps(await withStore(dialect));
    await deps.queue({ template: withLink, token: { kind: "mfa", hash: hashToken("never issued") } });
    await deps.deliver(quickTransport().transport);
    expect(await retryMails(deps, null)).toMatchObject([{ outcome: "deleted" }]);
    const other = await failedNotice();
    const secrets = createSecrets({ secretKeys: ["n".repeat(32)], epoch: 1 });
    expect(await retryMails({ ...other, secrets }, null)).toMatchObject([{ outcome: "deleted" }]);
  });

  // Proves requirement 176.
  it("of two simultaneous commands, one makes a failed mail due, and it is sent once", async () => {
    const deps = await failedNotice();
    const retried = await Promise.all([retryMails(deps, null), retryMails(deps, null)]);
    expect(retried.flat().map(({ outcome }) => outcome)).toContain("due");
    const { transport, sent } = quickTransport();
    await Promise.all([deps.deliver(transport), deps.deliver(transport)]);
    expect(sent).toHaveLength(1);
  });

  it("only those that are named are due", async () => {
    const deps = await failedNotice();
    expect(await retryMails(deps, ["another"])).toEqual([]);
    const [row] = await deps.rows();
    expect(await retryMails(deps, [row?.id ?? ""])).toMatchObject([{ id: row?.id, outcome: "due" }]);
  });
});
