import { describe, expect, test } from "vitest";
import {
  consumeOneTimeToken,
  findOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  removeExpiredOneTimeTokens,
  removeOneTimeTokensOfUser,
  renewOneTimeToken,
  renewOneTimeTokenOfSlot,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { NewOneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { at, now, storedUser } from "./rows.ts";

const tokenHash = hashToken("the token");
const kind = "mfa";

function issue(store: Store, token: Partial<NewOneTimeToken> = {}) {
  const common = { tokenHash, kind, payload: { any: "thing" }, createdAt: now, expiresAt: at(MINUTE_MS) } as const;
  return issueOneTimeToken(store, { ...common, ...token });
}

describe.each(dialects)("one-time tokens on %s", (dialect) => {
  test("a token is found by its own kind only, until it expires", async () => {
    const store = await withStore(dialect);
    await issue(store, { slot: "uid" });
    const named = { kind, tokenHash, now } as const;
    expect(await findOneTimeToken(store, named)).toMatchObject({ payload: { any: "thing" }, expiresAt: at(MINUTE_MS) });
    expect(await findOneTimeToken(store, { ...named, kind: "totp-setup" })).toBeNull();
    expect(await findOneTimeToken(store, { ...named, tokenHash: hashToken("another") })).toBeNull();
    expect(await findOneTimeToken(store, { ...named, now: at(MINUTE_MS - 1) })).not.toBeNull();
    expect(await findOneTimeToken(store, { ...named, now: at(MINUTE_MS) })).toBeNull();
    expect(await findOneTimeTokenOfSlot(store, { kind, slot: "uid", now })).toMatchObject({ tokenHash });
    expect(await findOneTimeTokenOfSlot(store, { kind, slot: "uid", now: at(MINUTE_MS) })).toBeNull();
    expect(await findOneTimeTokenOfSlot(store, { kind: "totp-setup", slot: "uid", now })).toBeNull();
    expect(await findOneTimeTokenOfSlot(store, { kind, slot: "u\0id", now })).toBeNull();
  });

  test("a newer token replaces all columns of the older one in its slot, also of a used one", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    await issue(store, { slot: "uid", userId: "id of anna", generation: 3, browserHash: "b", clientId: "suite" });
    await consumeOneTimeToken(store, { kind, tokenHash, now });
    const newer = hashToken("newer");
    await issue(store, { slot: "uid", tokenHash: newer, payload: {}, expiresAt: at(2 * MINUTE_MS) });
    expect(await findOneTimeToken(store, { kind, tokenHash, now })).toBeNull();
    expect(await findOneTimeToken(store, { kind, tokenHash: newer, now })).toEqual({
      ...{ tokenHash: newer, kind, slot: "uid", userId: null, generation: null, browserHash: null, clientId: null },
      ...{ payload: {}, createdAt: now, expiresAt: at(2 * MINUTE_MS), usedAt: null },
    });
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(1);
  });

  test("tokens of other kinds, and tokens without a slot, coexist", async () => {
    const store = await withStore(dialect);
    await issue(store, { slot: "uid" });
    await issue(store, { slot: "uid", kind: "totp-setup", tokenHash: hashToken("2") });
    await issue(store, { tokenHash: hashToken("3") });
    await issue(store, { tokenHash: hashToken("4") });
    expect(await store.q.$count(store.t.oneTimeTokens)).toBe(4);
  });

  test("of 20 concurrent renewals one succeeds, and the old token is invalid", async () => {
    const store = await withStore(dialect);
    await issue(store);
    const renewals = Array.from({ length: 20 }, (_, n) =>
      renewOneTimeToken(store, { kind, from: tokenHash, to: hashToken(`${n}`), payload: { n }, generation: n, now }),
    );
    const winners = (await Promise.all(renewals)).filter((token) => token !== null);
    expect(winners).toHaveLength(1);
    const [winner] = winners;
    expect(winner?.payload).toEqual({ n: winner?.generation });
    expect(await findOneTimeToken(store, { kind, tokenHash, now })).toBeNull();
    expect(await findOneTimeToken(store, { kind, tokenHash: winner?.tokenHash ?? tokenHash, now })).toEqual(winner);
  });

  test("a renewal does not extend the lifetime, keeps omitted fields, and fails for a used or expired token", async () => {
    const store = await withStore(dialect);
    await issue(store, { generation: 2 });
    const to = hashToken("newer");
    expect(await renewOneTimeToken(store, { kind, from: tokenHash, to, now: at(MINUTE_MS) })).toBeNull();
    expect(await renewOneTimeToken(store, { kind, from: tokenHash, to, now })).toMatchObject({
      ...{ generation: 2, payload: { any: "thing" }, expiresAt: at(MINUTE_MS) },
    });
    await consumeOneTimeToken(store, { kind, tokenHash: to, now });
    expect(await renewOneTimeToken(store, { kind, from: to, to: tokenHash, now })).toBeNull();
  });

  test("the token of a slot is renewed for its own browser only; of several renewals the last one is valid", async () => {
    const store = await withStore(dialect);
    const browserHash = hashToken("browser");
    await issue(store, { slot: "uid", browserHash });
    const first = { kind, slot: "uid", browserHash, to: hashToken("1"), now } as const;
    expect(await renewOneTimeTokenOfSlot(store, { ...first, browserHash: hashToken("another") })).toBeNull();
    expect(await renewOneTimeTokenOfSlot(store, { ...first, slot: "another" })).toBeNull();
    expect(await renewOneTimeTokenOfSlot(store, { ...first, now: at(MINUTE_MS) })).toBeNull();
    expect(await renewOneTimeTokenOfSlot(store, first)).toMatchObject({ tokenHash: hashToken("1") });
    expect(await renewOneTimeTokenOfSlot(store, { ...first, to: hashToken("2") })).not.toBeNull();
    expect(await findOneTimeToken(store, { kind, tokenHash: hashToken("1"), now })).toBeNull();
    expect(await findOneTimeToken(store, { kind, tokenHash: hashToken("2"), now })).not.toBeNull();
  });

  test("of 20 concurrent calls one consumes a token, and none consumes an expired one or one of another kind", async () => {
    const store = await withStore(dialect);
    await issue(store);
    expect(await consumeOneTimeToken(store, { kind, tokenHash, now: at(MINUTE_MS) })).toBeNull();
    expect(await consumeOneTimeToken(store, { kind: "totp-setup", tokenHash, now })).toBeNull();
    const uses = Array.from({ length: 20 }, () => consumeOneTimeToken(store, { kind, tokenHash, now }));
    expect((await Promise.all(uses)).filter((token) => token !== null)).toHaveLength(1);
    expect(await findOneTimeToken(store, { kind, tokenHash, now })).toBeNull();
  });

  test("the tokens of one user and of these kinds are removed, others stay", async () => {
    const store = await withStore(dialect);
    await storedUser(store, "Anna");
    await storedUser(store, "Berta");
    await issue(store, { userId: "id of anna" });
    await issue(store, { userId: "id of anna", kind: "totp-setup", tokenHash: hashToken("2") });
    await issue(store, { userId: "id of berta", kind: "totp-setup", tokenHash: hashToken("3") });
    await removeOneTimeTokensOfUser(store, "id of anna", ["totp-setup", "webauthn-registration"]);
    expect(await findOneTimeToken(store, { kind, tokenHash, now })).not.toBeNull();
    expect(await findOneTimeToken(store, { kind: "totp-setup", tokenHash: hashToken("2"), now })).toBeNull();
    expect(await findOneTimeToken(store, { kind: "totp-setup", tokenHash: hashToken("3"), now })).not.toBeNull();
  });

  test("expired tokens are removed in batches, used ones included", async () => {
    const store = await withStore(dialect);
    for (let n = 0; n < 5; n += 1) await issue(store, { tokenHash: hashToken(`${n}`), expiresAt: at(1000 + n) });
    await consumeOneTimeToken(store, { kind, tokenHash: hashToken("0"), now });
    const batch = () => removeExpiredOneTimeTokens(store, { before: at(1003), batchSize: 3 });
    expect([await batch(), await batch(), await batch()]).toEqual([3, 1, 0]);
    expect(await findOneTimeToken(store, { kind, tokenHash: hashToken("4"), now })).not.toBeNull();
  });
});
