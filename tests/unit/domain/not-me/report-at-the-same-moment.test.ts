import { describe, expect, it } from "vitest";
import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { issueFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { issueNotMeToken } from "#app/domain/mail/not-me-link.server.ts";
import { endAccessByLink } from "#app/domain/not-me/end-access.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { LINK_KINDS } from "#app/domain/secret/token-kinds.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { whenWaiting } from "#tests/http/oidc/lock-wait.ts";
import { beforeEachCommit, type Dialect, dialects, withTwoStores } from "#tests/support/databases.ts";
import { installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";

const REPORT = { pageLanguage: "en", ...REQUEST };

/** Opens two stores of one database, as two processes do, and stores a user with a link that reports a stranger. */
async function twoProcesses(dialect: Dialect) {
  const [store, otherStore] = await withTwoStores(dialect);
  const [first, second] = [installation(store), installation(otherStore)];
  const anna = await putUser(first.store, { username: "anna", email: "anna@office.example" });
  await issueFactorReset(first, anna, null);
  const notMeToken = await issueNotMeToken(first, anna.id);
  return { first, second, anna, notMeToken };
}

/** Returns the kinds of links to a new password that are left. */
async function linksLeft({ q, t: { oneTimeTokens } }: Store) {
  const tokens = await q.select({ kind: oneTimeTokens.kind }).from(oneTimeTokens);
  return tokens.filter(({ kind }) => kind === "not-me-reset");
}

describe.each(dialects)("a report of a stranger on %s", (dialect) => {
  // Proves requirement 23.
  it("leaves no link to a blocked user, if the block comes first", async () => {
    const { first, second, notMeToken } = await twoProcesses(dialect);
    let report: ReturnType<typeof endAccessByLink> | undefined;
    const store = beforeEachCommit(first.store, async (tx) => {
      report = endAccessByLink(second, { notMeToken, ...REPORT });
      await whenWaiting(tx);
    });
    await blockUser({ ...first, store }, "anna");
    expect(await report).toEqual({ kind: "error-token" });
    expect(await linksLeft(first.store)).toEqual([]);
  });

  // Proves requirement 23.
  it("leaves no link after an unblock, if the block comes while the report commits", async () => {
    const { first, second, notMeToken } = await twoProcesses(dialect);
    let block: Promise<unknown> | undefined;
    const store = beforeEachCommit(first.store, async (tx) => {
      block = blockUser(second, "anna");
      await whenWaiting(tx);
    });
    expect(await endAccessByLink({ ...first, store }, { notMeToken, ...REPORT })).toEqual({ kind: "done" });
    await block;
    await unblockUser(second, "anna");
    expect(await linksLeft(first.store)).toEqual([]);
  });

  it("and a new address of the same moment wait for each other, without a deadlock", async () => {
    const { first, second, anna, notMeToken } = await twoProcesses(dialect);
    let change: Promise<unknown> | undefined;
    // The order of `endAccessByLink`: its link, then the other links.
    await first.store.tx(async (store) => {
      const presented = { tokenHash: hashToken(notMeToken), now: first.clock.now() };
      await consumeOneTimeToken(store, { kind: "not-me", ...presented });
      change = setUser(second, "anna", { email: "new@office.example" });
      change.catch(() => {});
      await whenWaiting(store);
      await removeOneTimeTokensOfUser(store, anna.id, LINK_KINDS);
    });
    expect(await change).toMatchObject({ user: { email: "new@office.example" } });
  });
});
