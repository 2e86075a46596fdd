import { expect, it } from "vitest";
import { issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { removeExpiredTokens } from "#app/domain/clean-up/remove-expired.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock } from "#tests/unit/domain/fixtures.ts";

it.each(dialects)("all expired tokens are removed, however many, and no others (%s)", async (dialect) => {
  const store = await withStore(dialect);
  const clock = fixedClock();
  const createdAt = clock.now();
  for (let seconds = 1; seconds <= 205; seconds += 1) {
    const expiresAt = new Date(createdAt.getTime() + seconds * 1000);
    await issueOneTimeToken(store, {
      ...{ kind: "mfa", tokenHash: hashToken(`${seconds}`), payload: {}, createdAt, expiresAt },
    });
  }
  clock.advance(204);
  await removeExpiredTokens({ store, clock });
  const remaining = await store.q.select().from(store.t.oneTimeTokens);
  expect(remaining.map(({ tokenHash }) => tokenHash)).toEqual([hashToken("205")]);
});
